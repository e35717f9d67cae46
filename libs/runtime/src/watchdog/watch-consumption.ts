import type { QueueServer } from '@gangan/queue';
import type { Launch } from '../process/host-process.js';
import { watchdogExit } from './exit-code.js';

/** Ends the process if it stops taking jobs. Its jobs in flight are taken over by another worker, as after a crash. */
export async function watchConsumption(
  server: Pick<QueueServer, 'untilStuck'>,
  { logger, exit }: Pick<Launch, 'logger' | 'exit'>,
): Promise<void> {
  const lane = await server.untilStuck();
  if (lane === undefined) return;
  logger.fatal({ lane }, 'jobs wait and this process takes none: ending the process');
  exit(watchdogExit);
}
