import { createPostgresBackend, type PgPool, withBackend } from 'bullmq';
import pg from 'pg';
import { jobOptions, type PlainBroker, queueName } from './plain-broker.js';

const { Queue, Worker } = withBackend(createPostgresBackend);

export function openPostgres(url: string, poolSize: number): PlainBroker {
  // Jobs need not survive a crash of the machine. The transport uses the same setting.
  const config = { connectionString: url, options: '-c search_path=bullmq -c synchronous_commit=off' };
  const pool = new pg.Pool({ ...config, max: poolSize });
  const connection = pool as unknown as PgPool;
  let queue: InstanceType<typeof Queue> | undefined;
  return {
    add: (data) => {
      queue ??= new Queue(queueName, { connection });
      return queue.add('charge', data, jobOptions);
    },
    work: async (concurrency, process) => {
      await new Worker(queueName, process, { connection, concurrency }).waitUntilReady();
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
