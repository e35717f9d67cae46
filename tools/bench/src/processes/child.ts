import { runLoad } from '../load/run-load.js';
import { loadWay } from '../ways/contestants.js';
import { serve } from './serve.js';
import type { Task, TaskResult } from './tasks.js';

/** The entry of every process that the bench starts. It ends with the bench, and leaves Ctrl-C to it. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: Task) => {
  perform(task).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ done: 'failed', reason: reasonOf(error) } satisfies TaskResult),
  );
});

async function perform(task: Task): Promise<TaskResult> {
  switch (task.do) {
    case 'gateway':
      return { done: 'listening', port: await serve(await (await loadWay(task.way)).gateway(task.place)) };
    case 'worker':
      await (await loadWay(task.way)).worker?.(task.place);
      return { done: 'working' };
    case 'load':
      return { done: 'loaded', result: await runLoad(task.load) };
    case 'tell cpu': {
      const { user, system } = process.cpuUsage();
      return { done: 'cpu', microseconds: user + system };
    }
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
