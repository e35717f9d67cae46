import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const scriptOf = (app: string): string =>
  fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));

/** A built worker in a process of its own. It ends with the test process. */
export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly firstEvent: Promise<readonly unknown[]>;
  private printed = '';

  constructor(app: string, environment: Record<string, string>) {
    this.child = spawn(process.execPath, [scriptOf(app)], {
      env: {
        PATH: process.env['PATH'],
        NODE_ENV: 'test',
        LOG_LEVEL: 'warn',
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: '0',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const output of [this.child.stdout, this.child.stderr]) {
      output?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    }
    this.firstEvent = Promise.race([once(this.child, 'message'), once(this.child, 'exit')]);
  }

  async untilReady(): Promise<void> {
    const [message] = await this.firstEvent;
    if ((Object(message) as { type?: unknown }).type !== 'ready')
      throw new Error(`The worker does not start:\n${this.printed}`);
  }

  /** As `kill -9` does. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}
