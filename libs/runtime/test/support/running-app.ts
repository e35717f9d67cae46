import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { until } from '@gangan/testing';

interface Ready {
  readonly type: 'ready';
  readonly name: string;
  readonly port?: number;
  readonly metricsHost: string;
  readonly metricsPort: number;
}

/** An app as a process of its own, with a supervisor's channel. */
export class RunningApp {
  readonly ready: Promise<Ready>;
  readonly exit: Promise<number | null>;
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;

  constructor(script: string, environment: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, [script], {
      env: {
        PATH: process.env['PATH'],
        METRICS_HOST: '127.0.0.1',
        METRICS_PORT: '0',
        HOST: '127.0.0.1',
        ...environment,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString()));
    this.child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.ready = once(this.child, 'message').then(([message]) => message as Ready);
    this.exit = this.ending();
  }

  /** The log so far, a line an object. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  get signalCode(): NodeJS.Signals | null {
    return this.child.signalCode;
  }

  /** Waits for the line with this message. */
  logged(message: string): Promise<Record<string, unknown>> {
    return until(`the app logs "${message}"`, () => this.log.find(({ msg }) => msg === message), {
      details: () => this.stdout + this.stderr,
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** What a supervisor's death looks like from inside: the channel closes, and the log is not read any more. */
  abandon(): void {
    this.child.stdout?.destroy();
    this.child.stderr?.destroy();
    this.child.disconnect();
  }

  /** For the end of a test, whatever its outcome. */
  async end(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) this.child.kill('SIGKILL');
    await this.exit;
  }

  /** Not by the event `close`: it does not come once the channel was closed from here. */
  private async ending(): Promise<number | null> {
    const [code] = (await once(this.child, 'exit')) as [number | null];
    for (const output of [this.child.stdout, this.child.stderr]) {
      if (output && !output.destroyed) await finished(output);
    }
    return code;
  }
}
