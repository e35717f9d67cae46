import { freePort, isAlive } from '@gangan/embedded-postgres';
import { readFileSync } from 'node:fs';
import { appendFile, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { CleanUp } from './clean-up.js';
import { copyTemplate } from './postgres/postgres-template.js';
import { sendRequest, type TestRequest, type TestResponse } from './network/send-request.js';
import { StartCommand } from './script-process.js';
import { serverFolder } from './server-folder.js';
import { until } from './until.js';

/** Tests share the machine with each other, so a gateway that waits for processor time still accepts their requests. */
const testEnv = { MAX_EVENT_LOOP_DELAY_MS: '0' };

export interface TestSystemOptions {
  /** Starts two processes, `gateway` and `workers`, instead of one per app. */
  readonly compact?: boolean;
}

/** The whole system, started by the start command on its own data folder and port. */
export class TestSystem {
  readonly url: string;
  private command: StartCommand | undefined;

  private constructor(
    readonly port: number,
    readonly folder: string,
    private readonly cleanUp: CleanUp,
    private readonly env: Record<string, string>,
    private readonly args: readonly string[],
  ) {
    this.url = `http://127.0.0.1:${port}`;
  }

  /**
   * Prepares a data folder that holds an empty Postgres cluster, which saves seconds at the start. `fsync` is off.
   *
   * @param env further variables, such as `REDIS_URL`
   */
  static async open(env: Record<string, string> = {}, options: TestSystemOptions = {}): Promise<TestSystem> {
    const system = await TestSystem.openEmpty(env, options);
    if (env['DATABASE_URL'] === undefined) {
      const postgres = join(system.folder, 'postgres');
      await copyTemplate(postgres);
      await appendFile(join(postgres, 'cluster', 'postgresql.auto.conf'), "fsync = 'off'\n");
    }
    return system;
  }

  /** Prepares an empty data folder, as at the first start. */
  static async openEmpty(
    env: Record<string, string> = {},
    { compact = false }: TestSystemOptions = {},
  ): Promise<TestSystem> {
    const folder = await mkdtemp(join(serverFolder(), 'gangan-system-'));
    const pidFiles = [join(folder, 'start.lock'), postmasterOf(folder)];
    const args = compact ? ['--compact'] : [];
    const cleanUp = new CleanUp(folder, pidFiles);
    return new TestSystem(await freePort(), folder, cleanUp, { ...testEnv, ...env }, args);
  }

  /** Starts the system, also after `stop`, and waits until it reports that it is ready. */
  async start(): Promise<void> {
    this.command = this.run();
    await this.command.untilReady();
  }

  /** Runs the start command once more on the same folder and port; `env` overrides both. */
  run(env: Record<string, string> = {}): StartCommand {
    const own = { PORT: String(this.port), GANGAN_DATA_DIR: this.folder };
    return new StartCommand({ ...this.env, ...own, ...env }, this.args);
  }

  get output(): string {
    return this.command?.output ?? '';
  }

  request(request: TestRequest): Promise<TestResponse> {
    return sendRequest(this.url, request);
  }

  /** Process ids by app; in compact mode `gateway` and `workers`. */
  apps(): Record<string, number> {
    const file = readFileSync(join(this.folder, 'running.json'), 'utf8');
    const apps = JSON.parse(file) as Record<string, { pid: number }>;
    return Object.fromEntries(Object.entries(apps).map(([name, { pid }]) => [name, pid]));
  }

  /** Ids of all processes of the system: supervisor, apps and embedded Postgres. */
  processes(): number[] {
    return [this.command?.pid ?? 0, this.postgres(), ...Object.values(this.apps())];
  }

  postgres(): number {
    return Number(readFileSync(postmasterOf(this.folder), 'utf8').split('\n')[0]);
  }

  /** @param name as in `apps` */
  killApp(name: string): void {
    const pid = this.apps()[name];
    if (pid === undefined) throw new Error(`${name} is not running`);
    process.kill(pid, 'SIGKILL');
  }

  /** Sends a signal and returns the exit code. */
  async stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    return (await this.command?.stop(signal)) ?? null;
  }

  /** Stops what still runs and removes the data folder. */
  async close(): Promise<void> {
    await this.stop();
    await this.cleanUp.now();
  }
}

const postmasterOf = (folder: string): string => join(folder, 'postgres', 'cluster', 'postmaster.pid');

export async function untilGone(pids: readonly number[]): Promise<void> {
  await until(`processes ${pids.join(', ')} end`, () => !pids.some(isAlive));
}
