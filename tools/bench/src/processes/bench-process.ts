import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { benchScript } from '../scripts.js';
import type { Task, TaskResult } from './tasks.js';

const timeoutMs = 2_000;
const entry = fileURLToPath(benchScript('processes/child'));

/** A child process that runs one task at a time. */
export class BenchProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<string>;

  constructor(private readonly name: string) {
    this.child = fork(entry, [], { env: { ...process.env, NODE_ENV: 'production' } });
    this.ended = once(this.child, 'exit').then(([code, signal]) => String(signal ?? `code ${String(code)}`));
  }

  async do<D extends TaskResult['done']>(task: Task, expected: D): Promise<TaskResult & { done: D }> {
    const received = once(this.child, 'message').then(([result]) => result as TaskResult);
    this.child.send(task);
    const result = await Promise.race([received, this.ended]);
    if (typeof result === 'string') throw new Error(`${this.name} ended (${result})`);
    if (result.done === 'failed') throw new Error(`${this.name}: ${result.reason}`);
    if (result.done !== expected) throw new Error(`${this.name} returned "${result.done}"`);
    return result as TaskResult & { done: D };
  }

  async cpuMicroseconds(): Promise<number> {
    return (await this.do({ do: 'read cpu' }, 'cpu')).microseconds;
  }

  /** The child exits when it is disconnected. Its unfinished work is lost, which does no harm. */
  async stop(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    const stuck = setTimeout(() => this.child.kill('SIGKILL'), timeoutMs);
    await this.ended;
    clearTimeout(stuck);
  }
}
