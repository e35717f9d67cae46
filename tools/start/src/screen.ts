/** What is printed when the system is ready. `parts` are further rows: where its database, queue and files are. */
export function readyScreen(
  url: string,
  demoKey: string | undefined,
  parts: Readonly<Record<string, string>>,
  seconds: number,
): string {
  const rows = {
    URL: url,
    Docs: `${url}/docs`,
    ...(demoKey !== undefined && { 'Demo key': demoKey }),
    Try: `curl '${url}/lookup/phone?phone=08031234567' -H 'Authorization: ${demoKey ?? '<your key>'}'`,
    ...parts,
    Stop: 'Ctrl-C',
  };
  const lines = Object.entries(rows).map(([name, value]) => `    ${name.padEnd(10)}${value}\n`);
  return `\n  Gangan is ready (${seconds.toFixed(1)} s).\n\n${lines.join('')}\n`;
}
