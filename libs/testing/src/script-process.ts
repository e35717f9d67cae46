import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ScriptOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  readonly nodeFlags?: readonly string[];
  /** Shows what it prints, instead of collecting it. */
  readonly prints?: boolean;
}

/** What a process says when it is ready. */
interface Ready {
  readonly port?: number;
  readonly metricsPort?: number;
}

/** A built script of this repository in a process of its own. */
export class ScriptProcess {
  /** Where it listens, if it has said so. */
  port = 0;
  metricsPort = 0;
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;
  private readonly firstEvent: Promise<readonly unknown[]>;
  private printed = '';

  /** @param script relative to the root of the repository */
  constructor(
    private readonly script: string,
    { env, args = [], nodeFlags = [], prints = false }: ScriptOptions,
  ) {
    const path = fileURLToPath(new URL(`../../../${script}`, import.meta.url));
    const output = prints ? 'inherit' : 'pipe';
    this.child = spawn(process.execPath, [...nodeFlags, path, ...args], {
      env,
      stdio: ['ignore', output, output, 'ipc'],
      // JSON has no NaN and no Infinity.
      serialization: 'advanced',
    });
    const closed = once(this.child, 'close');
    this.ended = closed.then(([code]) => code as number | null);
    this.firstEvent = Promise.race([once(this.child, 'message'), closed]);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
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
    const { type, port = 0, metricsPort = 0 } = Object(message) as Ready & { readonly type?: unknown };
    if (type !== 'ready') throw new Error(`${this.script} does not start:\n${this.printed}`);
    Object.assign(this, { port, metricsPort });
  }

  /** Returns what the script sends: `{ answer }`, or `{ failed }` with the reason. One question at a time. */
  async ask<Answer>(question: object | string): Promise<Answer> {
    const answered = once(this.child, 'message') as Promise<[{ answer: Answer } | { failed: string }]>;
    this.child.send(question);
    const message = await Promise.race([answered, this.ended.then(() => undefined)]);
    if (!message) throw new Error(`${this.script} has ended`);
    const [reply] = message;
    if ('failed' in reply) throw new Error(`${this.script}: ${reply.failed}`);
    return reply.answer;
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
    super('tools/start/dist/main.js', { env: { ...process.env, ...neutral, ...env }, args });
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
    super(`apps/${app}/dist/main.js`, { env: { ...defaults, ...environment } });
  }

  async kill(): Promise<void> {
    await this.stop('SIGKILL');
  }
}
