import { setTimeout as pause } from 'node:timers/promises';
import { Queues } from '@gangan/queue';
import { quietLogger } from './quiet-logger.js';
import type { BenchEnvironment } from './bench-environment.js';

/** Opens the queue as a gateway does, and waits until it responds. */
export async function openProducer(environment: BenchEnvironment): Promise<Queues> {
  const queues = await Queues.open(environment.queue, 'producer', quietLogger);
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
