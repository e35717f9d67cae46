import { runPacedLoad } from '../load/paced-load.js';
import { runLoad } from '../load/run-load.js';
import { loadWay } from '../ways/variants.js';
import { serve } from './serve.js';
import type { Task, TaskResult } from './tasks.js';

/** The entry point of the child processes. They end with the bench, which handles Ctrl-C. */
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (task: Task) => {
  perform(task).then(
    (result) => process.send?.(result),
    (error: unknown) => process.send?.({ done: 'failed', reason: formatReason(error) } satisfies TaskResult),
  );
});

async function perform(task: Task): Promise<TaskResult> {
  switch (task.do) {
    case 'gateway':
      return { done: 'listening', port: await serve(await (await loadWay(task.way)).gateway(task.settings)) };
    case 'worker':
      await (await loadWay(task.way)).worker?.(task.settings);
      return { done: 'working' };
    case 'load':
      return { done: 'loaded', result: await runLoad(task.load) };
    case 'paced load':
      return { done: 'paced', milliseconds: await runPacedLoad(task.load) };
    case 'read cpu': {
      const { user, system } = process.cpuUsage();
      return { done: 'cpu', microseconds: user + system };
    }
  }
}

const formatReason = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);
