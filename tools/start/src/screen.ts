export interface Screen {
  readonly url: string;
  readonly demoKey: string | undefined;
  readonly database: string;
  readonly queue: string;
  readonly dataDir: string;
  readonly logs: string;
  readonly seconds: number;
}

/** What is printed when the system is ready. */
export function readyScreen({ url, demoKey, database, queue, dataDir, logs, seconds }: Screen): string {
  const key = demoKey ?? '<your key>';
  const rows = {
    URL: url,
    ...(demoKey !== undefined && { 'Demo key': demoKey }),
    Try: `curl '${url}/lookup/phone?phone=08031234567' -H 'Authorization: ${key}'`,
    Database: database,
    Queue: queue,
    Data: dataDir,
    Logs: logs,
    Stop: 'Ctrl-C',
  };
  const lines = Object.entries(rows).map(([name, value]) => `    ${name.padEnd(10)}${value}\n`);
  return `\n  Gangan is ready (${seconds.toFixed(1)} s).\n\n${lines.join('')}\n`;
}
