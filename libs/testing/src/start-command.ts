import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../../tools/start/dist/main.js', import.meta.url));

/** Hides the developer's own environment from the system under test; a blank variable counts as absent. */
const neutral = {
  NODE_ENV: 'development',
  DATABASE_URL: '',
  REDIS_URL: '',
  QUEUE_KEY: '',
  OTP_PEPPER: '',
  HOST: '',
  PUBLIC_URL: '',
};

/** One run of `pnpm start`. */
export class StartCommand {
  private readonly child: ChildProcess;
  private readonly ended: Promise<number | null>;
  private printed = '';

  constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, [script], {
      env: { ...process.env, ...neutral, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.ended = once(this.child, 'close').then(([code]) => code as number | null);
    const keep = (chunk: Buffer): void => {
      this.printed += chunk.toString('utf8');
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** The output so far. */
  get output(): string {
    return this.printed;
  }

  /** Waits until it reports that it is ready. */
  async ready(): Promise<void> {
    const ended = this.ended.then(() => {
      throw new Error(`The start command ended:\n${this.printed}`);
    });
    ended.catch(() => undefined);
    await Promise.race([once(this.child, 'message'), ended]);
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
