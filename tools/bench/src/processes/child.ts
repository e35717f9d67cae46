import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The message of a process that is ready. */
interface Ready {
  readonly type: 'ready';
  readonly port?: number;
  readonly metricsPort?: number;
}

export interface ChildOptions {
  readonly args?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly nodeFlags?: readonly string[];
  /** Hides what it prints. */
  readonly quiet?: boolean;
  /** The signal that stops it; SIGKILL by default. */
  readonly stopSignal?: 'SIGTERM';
}

/** A process of the bench or of the system. */
export class Child {
  readonly port: number = 0;
  readonly metricsPort: number = 0;
  private readonly process: ChildProcess;
  private readonly ended: Promise<unknown>;

  constructor(
    private readonly script: URL,
    private readonly options: ChildOptions,
  ) {
    const { args = [], env, nodeFlags = [], quiet } = options;
    this.process = fork(fileURLToPath(script), [...args], {
      ...(env && { env }),
      execArgv: [...nodeFlags],
      stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit', 'ipc'],
    });
    this.ended = once(this.process, 'exit');
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  async untilReady(): Promise<this> {
    const [message] = (await Promise.race([once(this.process, 'message'), this.ended])) as unknown[];
    const { type, port = 0, metricsPort = 0 } = Object(message) as Partial<Ready>;
    if (type !== 'ready') throw new Error(`${fileURLToPath(this.script)} did not start`);
    return Object.assign(this, { port, metricsPort });
  }

  /** Returns the answer of a script that uses `answerQuestions`. One question at a time. */
  async ask<Answer>(question: object | string): Promise<Answer> {
    const received = once(this.process, 'message') as Promise<[{ answer: Answer } | { failed: string }]>;
    this.process.send(question);
    const result = await Promise.race([received, this.ended.then(() => undefined)]);
    if (!result) throw new Error(`${fileURLToPath(this.script)} has ended`);
    const [reply] = result;
    if ('failed' in reply) throw new Error(`${fileURLToPath(this.script)}: ${reply.failed}`);
    return reply.answer;
  }

  /** Can be called twice. */
  async stop(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    this.process.kill(this.options.stopSignal ?? 'SIGKILL');
    await this.ended;
  }
}
