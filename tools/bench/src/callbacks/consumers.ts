import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchScript } from '../scripts.js';
import type { ConsumerKind, ConsumersResult, ConsumersTask } from './consumers-task.js';

const entry = fileURLToPath(benchScript('callbacks/consumers-process'));

/** The process with the consumers. */
export class Consumers {
  private readonly child: ChildProcess = fork(entry);

  /** Returns their URLs. */
  async open(kind: ConsumerKind, count: number): Promise<readonly string[]> {
    const result = await this.ask({ do: 'open', kind, count });
    return result.done === 'opened' ? result.urls : [];
  }

  async latencies(): Promise<readonly number[]> {
    const result = await this.ask({ do: 'read latencies' });
    return result.done === 'latencies' ? result.milliseconds : [];
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }

  private async ask(task: ConsumersTask): Promise<ConsumersResult> {
    const received = once(this.child, 'message') as Promise<[ConsumersResult]>;
    this.child.send(task);
    return (await received)[0];
  }
}
