import { type QueueConnection, type QueueRole, Queues, type QueueTuning } from '@gangan/queue';
import type { RuntimeConfig } from '../config/runtime-config.js';
import { measureDepth } from '../metrics/queue-depth.js';
import { observeQueue } from '../metrics/queue-metrics.js';
import type { Launch } from './launch.js';

/** Redis where one is configured, else the database; measured, and closed when the process stops. */
export async function openQueues(
  role: QueueRole,
  { config, logger, metrics, shutdown }: Launch,
  tuning: Partial<QueueTuning> = {},
): Promise<Queues> {
  const settings = { connection: connectionOf(config), keys: config.QUEUE_KEY, tuning };
  const queues = await Queues.open(settings, role, logger, observeQueue(metrics));
  shutdown.closes('the queues', async () => {
    await queues.client.close();
    await queues.close();
  });
  measureDepth(metrics, () => queues.depths());
  return queues;
}

const connectionOf = ({ REDIS_URL, DATABASE_URL, QUEUE_POOL_SIZE }: RuntimeConfig): QueueConnection =>
  REDIS_URL === undefined
    ? { kind: 'postgres', url: DATABASE_URL, poolSize: QUEUE_POOL_SIZE }
    : { kind: 'redis', url: REDIS_URL };
