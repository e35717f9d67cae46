import type { ChildProcess } from 'node:child_process';
import { BenchProcess } from '../processes/bench-process.js';
import type { LoadResult, LoadTask } from './run-load.js';
import { runWrk, wrkCanRun } from './wrk.js';

/** wrk where it is installed, because it needs less of the shared processor; otherwise our own, in a process for each load at a time. */
export class LoadGenerator {
  private readonly own: BenchProcess[] = [];
  private readonly idle: BenchProcess[] = [];
  private readonly running = new Set<ChildProcess>();

  async run(task: LoadTask): Promise<LoadResult> {
    if (wrkCanRun(task)) {
      return runWrk(task, (child) => {
        this.running.add(child);
        child.once('close', () => this.running.delete(child));
      });
    }
    const own = this.idle.pop() ?? this.startOwn();
    const { result } = await own.do({ do: 'load', load: task }, 'loaded');
    this.idle.push(own);
    return result;
  }

  async stop(): Promise<void> {
    for (const child of this.running) child.kill();
    await Promise.all(this.own.map((process) => process.stop()));
  }

  private startOwn(): BenchProcess {
    const process = new BenchProcess('The load generator');
    this.own.push(process);
    return process;
  }
}
