import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.js';

/** What is to be made ready before the apps may start. */
export interface Order {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  readonly queueKey: string | undefined;
  readonly queueKeyFile: string;
  readonly otpPepper: string | undefined;
  readonly otpPepperFile: string;
  readonly seed: boolean;
}

export interface Prepared {
  readonly queueKey: string;
  readonly otpPepper: string;
  readonly demoKey: string | undefined;
  /** Connections that the database can still take. */
  readonly freeConnections: number;
}

export type Message =
  | { readonly type: 'step'; readonly line: string }
  | { readonly type: 'prepared'; readonly prepared: Prepared }
  | { readonly type: 'failed'; readonly reason: string };

/**
 * Migrates and seeds in a process of its own. What that loads is heavy: it loads while Postgres starts, and the
 * supervisor, which stays, need not carry it.
 */
export class Preparation {
  private readonly child: ChildProcess;
  private output = '';

  constructor(
    private readonly say: (line: string) => void,
    script = fileURLToPath(new URL('./prepare.js', import.meta.url)),
  ) {
    this.child = fork(script, { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    const keep = (chunk: Buffer): void => {
      this.output = `${this.output}${chunk.toString('utf8')}`.slice(-4_000);
    };
    this.child.stdout?.on('data', keep);
    this.child.stderr?.on('data', keep);
  }

  run(order: Order): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      const died = (): void => {
        reject(new StartError(`Preparing the database failed:\n${this.output.trim()}`));
      };
      if (!this.child.connected) died();
      this.child.once('close', died);
      this.child.once('error', reject);
      this.child.on('message', (message) => {
        const news = message as Message;
        if (news.type === 'step') this.say(news.line);
        else if (news.type === 'prepared') resolve(news.prepared);
        else reject(new StartError(news.reason));
      });
      this.child.send(order, () => undefined);
    });
  }

  cancel(): void {
    this.child.kill('SIGKILL');
  }
}
