import type { Child } from '../processes/child.js';
import type { Resources } from '../processes/resources.js';
import { benchScript } from '../scripts.js';
import type { LoadResult, LoadTask } from './run-load.js';
import { runWrk, wrkCanRun } from './wrk.js';

/** wrk where it is installed, because it needs less of the shared processor; otherwise our own, in a process for each load at a time. */
export class LoadGenerator {
  private readonly idle: Child[] = [];

  constructor(private readonly resources: Resources) {}

  async run(task: LoadTask): Promise<LoadResult> {
    if (wrkCanRun(task)) return runWrk(task, this.resources.signal);
    const env = { ...process.env, NODE_ENV: 'production' };
    const own = this.idle.pop() ?? (await this.resources.fork(benchScript('load/load-process'), { env }));
    const result = await own.ask<LoadResult>(task);
    this.idle.push(own);
    return result;
  }
}

/** @throws if a request failed */
export function assertAllSucceeded({ others }: LoadResult): void {
  if (Object.keys(others).length > 0) throw new Error(`Requests failed: ${JSON.stringify(others)}`);
}
