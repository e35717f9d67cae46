import { setTimeout as pause } from 'node:timers/promises';
import type { AppName } from '@gangan/protocol';
import { Queues } from '@gangan/queue';
import { quietLogger } from './quiet-logger.js';
import type { BenchEnvironment } from './bench-environment.js';

/** Opens the queue as an app does, and waits until it responds. */
export async function openProducer(environment: BenchEnvironment, app: AppName = 'gateway'): Promise<Queues> {
  const queues = await Queues.open({ ...environment.queue, app }, 'producer', quietLogger);
  environment.atEnd(async () => {
    await queues.client.close();
    await queues.close();
  });
  while (!(await responds(queues))) await pause(20);
  return queues;
}

const responds = (queues: Queues): Promise<boolean> =>
  queues.ping().then(
    () => true,
    () => false,
  );
