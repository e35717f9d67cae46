import type { ChildProcess } from 'node:child_process';
import { BenchProcess } from '../processes/bench-process.js';
import type { LoadResult, LoadTask } from './run-load.js';
import { runWrk, wrkCanRun } from './wrk.js';

/** wrk where it is installed, because it needs less of the shared processor; otherwise our own, in a process of its own. */
export class LoadGenerator {
  private own?: BenchProcess;
  private readonly running = new Set<ChildProcess>();

  async run(task: LoadTask): Promise<LoadResult> {
    if (wrkCanRun(task)) {
      return runWrk(task, (child) => {
        this.running.add(child);
        child.once('close', () => this.running.delete(child));
      });
    }
    this.own ??= new BenchProcess('The load generator');
    return (await this.own.do({ do: 'load', load: task }, 'loaded')).result;
  }

  async stop(): Promise<void> {
    for (const child of this.running) child.kill();
    await this.own?.stop();
  }
}
