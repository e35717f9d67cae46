export interface Screen {
  readonly url: string;
  readonly demoKey: string | undefined;
  readonly database: string;
  readonly queue: string;
  readonly dataDir: string;
  readonly logs: string;
  readonly seconds: number;
}

/** What a newcomer needs to know, and nothing else. */
export function readyScreen(screen: Screen): string {
  const { url, demoKey, seconds } = screen;
  const key = demoKey ?? '<your key>';
  const rows: [string, string][] = [
    ['URL', url],
    ...(demoKey === undefined ? [] : [['Demo key', demoKey] as [string, string]]),
    ['Try', `curl '${url}/lookup/phone?phone=08031234567' -H 'Authorization: ${key}'`],
    ['Database', screen.database],
    ['Queue', screen.queue],
    ['Data', screen.dataDir],
    ['Logs', screen.logs],
    ['Stop', 'Ctrl-C'],
  ];
  const lines = rows.map(([name, value]) => `    ${name.padEnd(10)}${value}`);
  return ['', `  Gangan is ready (${seconds.toFixed(1)} s).`, '', ...lines, '', ''].join('\n');
}
