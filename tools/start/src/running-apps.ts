import { isAlive, runs } from '@gangan/embedded-postgres';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningApp {
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
    const orphans = await this.findOrphans();
    const signal = (name: 'SIGTERM' | 'SIGKILL'): void => {
      for (const { pid } of orphans.values()) if (isAlive(pid)) process.kill(pid, name);
    };
    signal('SIGTERM');
    const deadline = performance.now() + graceMs;
    while ([...orphans.values()].some(({ pid }) => isAlive(pid)) && performance.now() < deadline)
      await sleep(50);
    signal('SIGKILL');
    await rm(this.file, { force: true });
    return [...orphans.keys()];
  }

  /** A process counts only if it still runs the script: its id may since belong to another program. */
  private async findOrphans(): Promise<Map<string, RunningApp>> {
    const orphans = new Map<string, RunningApp>();
    let written: Record<string, RunningApp> = {};
    try {
      written = JSON.parse(await readFile(this.file, 'utf8')) as typeof written;
    } catch {
      // Missing or damaged.
    }
    for (const [name, app] of Object.entries(written)) {
      if (await runs(app.pid, app.script)) orphans.set(name, app);
    }
    return orphans;
  }

  private write(): void {
    writeFileSync(this.file, `${JSON.stringify(Object.fromEntries(this.apps), null, 2)}\n`);
  }
}
