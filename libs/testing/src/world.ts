import { freePort, isAlive } from '@gangan/embedded-postgres';
import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, ask, type Question } from './ask.js';
import { CleanUp } from './clean-up.js';
import { copyTemplate } from './postgres-template.js';
import { StartCommand } from './start-command.js';

/** The whole system as its users get it: the start command on a data folder and a port of its own. */
export class World {
  readonly url: string;
  private command: StartCommand | undefined;

  private constructor(
    readonly port: number,
    readonly folder: string,
    private readonly cleanUp: CleanUp,
    private readonly env: Record<string, string>,
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * In a place where Postgres has been set up, without fear for its data, but nothing else: that saves seconds.
   *
   * @param env further variables, such as `REDIS_URL`
   */
  static async open(env: Record<string, string> = {}): Promise<World> {
    const world = await World.openEmpty(env);
    if (env['DATABASE_URL'] === undefined) {
      const postgres = join(world.folder, 'postgres');
      await copyTemplate(postgres);
      await appendFile(join(postgres, 'cluster', 'postgresql.auto.conf'), "fsync = 'off'\n");
    }
    return world;
  }

  /** As at the very first start. */
  static async openEmpty(env: Record<string, string> = {}): Promise<World> {
    const folder = await mkdtemp(join(tmpdir(), 'gangan-world-'));
    const pidFiles = [join(folder, 'start.lock'), postmasterOf(folder)];
    return new World(await freePort(), folder, new CleanUp(folder, pidFiles), env);
  }

  /** Starts it, also again after `stop`; returns when it says that it is ready. */
  async start(): Promise<void> {
    this.command = this.run();
    await this.command.ready();
  }

  /** Another run of the start command in the same place, but for what `env` says. */
  run(env: Record<string, string> = {}): StartCommand {
    return new StartCommand({ ...this.env, PORT: String(this.port), GANGAN_DATA_DIR: this.folder, ...env });
  }

  /** What the last start has printed so far. */
  get output(): string {
    return this.command?.output ?? '';
  }

  ask(question: Question): Promise<Answer> {
    return ask(this.url, question);
  }

  /** Process ids by app. */
  apps(): Record<string, number> {
    const file = readFileSync(join(this.folder, 'running.json'), 'utf8');
    const apps = JSON.parse(file) as Record<string, { pid: number }>;
    return Object.fromEntries(Object.entries(apps).map(([name, { pid }]) => [name, pid]));
  }

  /** Of all that must be gone when the system is: supervisor, apps and its own Postgres. */
  processes(): number[] {
    return [this.command?.pid ?? 0, this.postgres(), ...Object.values(this.apps())];
  }

  /** Process id of its own Postgres. */
  postgres(): number {
    return Number(readFileSync(postmasterOf(this.folder), 'utf8').split('\n')[0]);
  }

  killApp(name: string): void {
    const pid = this.apps()[name];
    if (pid === undefined) throw new Error(`${name} is not running`);
    process.kill(pid, 'SIGKILL');
  }

  /** What Ctrl-C does, or another signal; gives the exit code. */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    return (await this.command?.stop(signal)) ?? null;
  }

  /** Stops what still runs and removes everything. */
  async close(): Promise<void> {
    await this.stop();
    await this.cleanUp.now();
  }
}

const postmasterOf = (folder: string): string => join(folder, 'postgres', 'cluster', 'postmaster.pid');

/** Waits until none of these processes is there. */
export async function untilGone(pids: readonly number[]): Promise<void> {
  while (pids.some(isAlive)) await sleep(20);
}
