import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A built script of this repository in a process of its own. */
class ScriptProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;
  private readonly firstEvent: Promise<readonly unknown[]>;
  private printed = '';

  constructor(script: string, env: NodeJS.ProcessEnv, args: readonly string[] = []) {
    const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
    this.child = spawn(process.execPath, [path, ...args], {
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const closed = once(this.child, 'close');
    this.ended = closed.then(([code]) => code as number | null);
    this.firstEvent = Promise.race([once(this.child, 'message'), closed]);
    for (const output of [this.child.stdout, this.child.stderr]) {
      output?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get output(): string {
    return this.printed;
  }

  async untilReady(): Promise<void> {
    const [message] = await this.firstEvent;
    if ((Object(message) as { type?: unknown }).type !== 'ready')
      throw new Error(`The process does not start:\n${this.printed}`);
  }

  /** Waits for the end and returns the exit code. */
  end(): Promise<number | null> {
    return this.ended;
  }

  stop(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    this.child.kill(signal);
    return this.ended;
  }
}

/** Hides the developer's own environment from the system under test; a blank variable counts as absent. */
const neutral = {
  NODE_ENV: 'development',
  SIMULATE_LIVE: '',
  DATABASE_URL: '',
  REDIS_URL: '',
  QUEUE_MASTER_KEY: '',
  QUEUE_KEY: '',
  DATA_MASTER_KEY: '',
  OTP_PEPPER: '',
  BACKUP_KEY: '',
  HOST: '',
  PUBLIC_URL: '',
  // For calls to the internet, which the system under test does not make. Node 20 reads it at each start: 80 ms.
  NODE_EXTRA_CA_CERTS: '',
};

/** One run of `pnpm start`. */
export class StartCommand extends ScriptProcess {
  constructor(env: Record<string, string>, args: readonly string[] = []) {
    super('tools/start/dist/main.js', { ...process.env, ...neutral, ...env }, args);
  }
}

/** A built worker. It ends with the test process. */
export class WorkerProcess extends ScriptProcess {
  constructor(app: string, environment: Record<string, string>) {
    const defaults = {
      PATH: process.env['PATH'],
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: '0',
    };
    super(`apps/${app}/dist/main.js`, { ...defaults, ...environment });
  }

  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }
}
