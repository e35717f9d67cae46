import { commandOf, isAlive } from '@gangan/embedded-postgres';
import { writeFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RunningApp {
  readonly pid: number;
  readonly script: string;
}

/** Which processes are ours, written down for the start that follows a `kill -9` of this one. */
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

  /** Ends what an earlier start left behind; gives the names. Their supervisor is gone, so they are ending anyway. */
  async endOrphans(graceMs = 10_000): Promise<string[]> {
    const orphans = await this.findOrphans();
    for (const [, { pid }] of orphans) signal(pid, 'SIGTERM');
    const deadline = performance.now() + graceMs;
    const alive = () => orphans.filter(([, { pid }]) => isAlive(pid));
    while (alive().length > 0 && performance.now() < deadline) await sleep(50);
    for (const [, { pid }] of alive()) signal(pid, 'SIGKILL');
    await rm(this.file, { force: true });
    return orphans.map(([name]) => name);
  }

  private async findOrphans(): Promise<[string, RunningApp][]> {
    const written = Object.entries(parse(await readFile(this.file, 'utf8').catch(() => '{}')));
    const ours = await Promise.all(
      written.map(async ([, { pid, script }]) => isAlive(pid) && (await commandOf(pid)).includes(script)),
    );
    return written.filter((_, index) => ours[index]);
  }

  private write(): void {
    writeFileSync(this.file, `${JSON.stringify(Object.fromEntries(this.apps), null, 2)}\n`);
  }
}

function parse(text: string): Record<string, RunningApp> {
  try {
    return JSON.parse(text) as Record<string, RunningApp>;
  } catch {
    return {};
  }
}

function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself.
  }
}
