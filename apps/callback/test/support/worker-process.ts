import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/** The built worker as a process of its own. It ends with the test, which is its supervisor. */
export class WorkerProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown>;
  private printed = '';

  private constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, [script], {
      env: {
        PATH: process.env['PATH'],
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: '0',
        LOG_LEVEL: 'warn',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.printed += chunk.toString()));
    this.ended = once(this.child, 'exit');
  }

  static async start(env: Record<string, string>): Promise<WorkerProcess> {
    const worker = new WorkerProcess(env);
    const died = worker.ended.then(() => {
      throw new Error(`The worker ended:\n${worker.printed}`);
    });
    died.catch(() => undefined);
    await Promise.race([once(worker.child, 'message'), died]);
    return worker;
  }

  /** As `kill -9` does it. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
