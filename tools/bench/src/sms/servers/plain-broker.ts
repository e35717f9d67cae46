import { createPostgresBackend, type PgPool, Queue, withBackend, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import type { QueueConnection } from '@gangan/queue';

type Process = (job: { readonly data: unknown }) => Promise<void>;

/** BullMQ as its documentation shows it, and a channel for replies. */
export interface PlainBroker {
  openQueue(): Pick<Queue, 'add'>;
  work(process: Process): Promise<unknown>;
  publish(channel: string, message: string): Promise<unknown>;
  subscribe(channel: string, listener: (message: string) => void): Promise<unknown>;
}

const queueName = 'one-job';
const concurrency = 32;

export const openBroker = (connection: QueueConnection): PlainBroker =>
  connection.kind === 'redis' ? openRedis(connection.url) : openPostgres(connection.url, connection.poolSize);

function openRedis(url: string): PlainBroker {
  const connect = (): Redis => new Redis(url, { maxRetriesPerRequest: null, enableAutoPipelining: true });
  const connection = connect();
  return {
    openQueue: () => new Queue(queueName, { connection }),
    work: (process) => new Worker(queueName, process, { connection, concurrency }).waitUntilReady(),
    publish: (channel, message) => connection.publish(channel, message),
    subscribe: (channel, listener) =>
      connect()
        .on('message', (_channel: string, message: string) => {
          listener(message);
        })
        .subscribe(channel),
  };
}

function openPostgres(url: string, max: number): PlainBroker {
  // Jobs need not survive a crash of the machine. The transport uses the same setting.
  const config = { connectionString: url, options: '-c search_path=bullmq -c synchronous_commit=off' };
  const pool = new pg.Pool({ ...config, max });
  const connection = pool as unknown as PgPool;
  const backend = withBackend(createPostgresBackend);
  return {
    openQueue: () => new backend.Queue(queueName, { connection }),
    work: (process) => new backend.Worker(queueName, process, { connection, concurrency }).waitUntilReady(),
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
