import { isAlive, runs } from '@gangan/embedded-postgres';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

type RunningApps = Readonly<Record<string, { readonly pid: number; readonly script: string }>>;

/** Names the running apps in a file, for the start that follows a `kill -9` of this one. */
export function recordRunningApps(file: string, apps: RunningApps): void {
  writeFileSync(file, `${JSON.stringify(apps, null, 2)}\n`);
}

/** Ends the apps that an earlier start left running, and returns their names. */
export async function endOrphans(file: string, graceMs = 10_000): Promise<string[]> {
  const recorded: unknown = await readFile(file, 'utf8')
    .then(JSON.parse)
    .catch(() => ({}));
  // A process counts only if it still runs the script: its id may since belong to another program.
  const orphans = Object.entries(recorded as RunningApps).filter(([, app]) => runs(app.pid, app.script));
  const alive = (): number[] => orphans.map(([, { pid }]) => pid).filter(isAlive);
  for (const pid of alive()) process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + graceMs;
  while (alive().length > 0 && performance.now() < deadline) await sleep(50);
  for (const pid of alive()) process.kill(pid, 'SIGKILL');
  await rm(file, { force: true });
  return orphans.map(([name]) => name);
}
