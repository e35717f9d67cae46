import { setTimeout as pause } from 'node:timers/promises';
import { Queues } from '@gangan/queue';
import { quietLogger } from './quiet-logger.js';
import type { Stage } from './stage.js';

/** The queue as a gateway has it, once it answers. */
export async function openProducer(stage: Stage): Promise<Queues> {
  const queues = await Queues.open(stage.queue, 'producer', quietLogger);
  stage.atEnd(async () => {
    await queues.client.close();
    await queues.close();
  });
  while (!(await answers(queues))) await pause(20);
  return queues;
}

const answers = (queues: Queues): Promise<boolean> =>
  queues.ping().then(
    () => true,
    () => false,
  );
