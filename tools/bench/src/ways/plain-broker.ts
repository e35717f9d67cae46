import type { Job } from 'bullmq';
import type { QueueConnection } from '@gangan/queue';

/** BullMQ as its documentation shows it, and a channel for answers. */
export interface PlainBroker {
  add(data: object): Promise<unknown>;
  work(concurrency: number, process: (job: Job) => Promise<void>): Promise<void>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
}

/** Nothing of a finished job is kept, as in the transport. */
export const jobOptions = { removeOnComplete: true, removeOnFail: true };

export const queueName = 'one-job';

/** Loads only the driver that is needed, as an app would. */
export async function openBroker(connection: QueueConnection): Promise<PlainBroker> {
  if (connection.kind === 'redis') return (await import('./plain-redis.js')).openRedis(connection.url);
  return (await import('./plain-postgres.js')).openPostgres(connection.url, connection.poolSize);
}
