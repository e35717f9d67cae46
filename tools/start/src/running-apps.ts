import { isAlive, runs } from '@gangan/embedded-postgres';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

interface RunningApp {
  readonly pid: number;
  readonly script: string;
}

/** A file that names the running apps, for the start that follows a `kill -9` of this one. */
export class RunningApps {
  private readonly apps = new Map<string, RunningApp>();

  constructor(private readonly file: string) {}

  started(name: string, app: RunningApp): void {
    this.apps.set(name, app);
    this.write();
  }

  ended(name: string): void {
    this.apps.delete(name);
    this.write();
  }

  /** Ends the apps that an earlier start left running, and returns their names. */
  async endOrphans(graceMs = 10_000): Promise<string[]> {
    const written: unknown = await readFile(this.file, 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    // A process counts only if it still runs the script: its id may since belong to another program.
    const orphans = Object.entries(written as Record<string, RunningApp>).filter(([, { pid, script }]) =>
      runs(pid, script),
    );
    const alive = (): number[] => orphans.map(([, { pid }]) => pid).filter(isAlive);
    for (const pid of alive()) process.kill(pid, 'SIGTERM');
    const deadline = performance.now() + graceMs;
    while (alive().length > 0 && performance.now() < deadline) await sleep(50);
    for (const pid of alive()) process.kill(pid, 'SIGKILL');
    await rm(this.file, { force: true });
    return orphans.map(([name]) => name);
  }

  private write(): void {
    writeFileSync(this.file, `${JSON.stringify(Object.fromEntries(this.apps), null, 2)}\n`);
  }
}
