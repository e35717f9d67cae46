import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Task, TaskResult } from './tasks.js';

const patienceMs = 2_000;
const entry = fileURLToPath(new URL('child.js', import.meta.url));

/** A process of the bench, which does one task at a time. */
export class BenchProcess {
  private readonly child: ChildProcess;
  private readonly ended: Promise<string>;

  constructor(private readonly name: string) {
    this.child = fork(entry, [], { env: { ...process.env, NODE_ENV: 'production' } });
    this.ended = once(this.child, 'exit').then(([code, signal]) => String(signal ?? `code ${String(code)}`));
  }

  async do<D extends TaskResult['done']>(task: Task, expected: D): Promise<TaskResult & { done: D }> {
    const answered = once(this.child, 'message').then(([result]) => result as TaskResult);
    this.child.send(task);
    const result = await Promise.race([answered, this.ended]);
    if (typeof result === 'string') throw new Error(`${this.name} ended (${result})`);
    if (result.done === 'failed') throw new Error(`${this.name}: ${result.reason}`);
    if (result.done !== expected) throw new Error(`${this.name} answered "${result.done}"`);
    return result as TaskResult & { done: D };
  }

  async cpuMicroseconds(): Promise<number> {
    return (await this.do({ do: 'tell cpu' }, 'cpu')).microseconds;
  }

  /** It ends when it loses us. What it was doing is lost: nothing that it held outlives the bench. */
  async stop(): Promise<void> {
    if (this.child.connected) this.child.disconnect();
    const stuck = setTimeout(() => this.child.kill('SIGKILL'), patienceMs);
    await this.ended;
    clearTimeout(stuck);
  }
}
