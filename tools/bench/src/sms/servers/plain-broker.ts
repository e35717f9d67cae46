import { createPostgresBackend, type PgPool, Queue, withBackend, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { QueueConnection } from '@gangan/queue';

/** BullMQ as its documentation shows it, and a channel for replies. */
export interface PlainBroker {
  add(data: object): Promise<unknown>;
  work(concurrency: number, process: (job: { readonly data: unknown }) => Promise<void>): Promise<void>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<void>;
}

const queueName = 'one-job';
const onPostgres = withBackend(createPostgresBackend);

export const openBroker = (connection: QueueConnection): PlainBroker =>
  connection.kind === 'redis' ? openRedis(connection.url) : openPostgres(connection.url, connection.poolSize);

/** Finished jobs are removed, as in the transport. The queue is opened only where jobs are added. */
const adder = (open: () => Pick<Queue, 'add'>): PlainBroker['add'] => {
  let queue: Pick<Queue, 'add'> | undefined;
  return (data) => (queue ??= open()).add('message', data, { removeOnComplete: true, removeOnFail: true });
};

function openRedis(url: string): PlainBroker {
  const connect = (): Redis => new Redis(url, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const connection = connect();
  return {
    add: adder(() => new Queue(queueName, { connection })),
    work: async (concurrency, process) => {
      await new Worker(queueName, process, { connection, concurrency }).waitUntilReady();
    },
    publish: (channel, message) => connection.publish(channel, message),
    subscribe: async (channel, listener) => {
      const subscriber = connect();
      subscriber.on('message', (_channel: string, message: string) => {
        listener(message);
      });
      await subscriber.subscribe(channel);
    },
  };
}

function openPostgres(url: string, poolSize: number): PlainBroker {
  // Jobs need not survive a crash of the machine. The transport uses the same setting.
  const config = { connectionString: url, options: '-c search_path=bullmq -c synchronous_commit=off' };
  const pool = new pg.Pool({ ...config, max: poolSize });
  const connection = pool as unknown as PgPool;
  return {
    add: adder(() => new onPostgres.Queue(queueName, { connection })),
    work: async (concurrency, process) => {
      await new onPostgres.Worker(queueName, process, { connection, concurrency }).waitUntilReady();
    },
    publish: (channel, message) => pool.query('SELECT pg_notify($1, $2)', [channel, message]),
    subscribe: async (channel, listener) => {
      const client = new pg.Client(config);
      client.on('notification', ({ payload = '' }) => {
        listener(payload);
      });
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
    },
  };
}
