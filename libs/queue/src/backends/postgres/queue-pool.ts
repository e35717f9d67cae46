import { runMigrations } from 'bullmq';
import pg from 'pg';
import { createSequenceFunction } from './job-sequences.js';
import { createBucketTable } from './postgres-bucket-store.js';

/** BullMQ accepts no other schema with a pool that it did not create. */
const queueSchema = 'bullmq';

/**
 * The queue tables carry jobs in transit. What has to survive a crash is a committed row of a domain, and sweepers find such
 * rows again. So commits of the queue need not wait for the disk.
 */
const sessionOptions = `-c search_path=${queueSchema} -c synchronous_commit=off -c statement_timeout=10000`;

/** The connection settings of the queues. An `options` parameter of the URL is kept, before ours. */
export function queueClientConfig(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  return {
    connectionString: parsed.toString(),
    options: given ? `${given} ${sessionOptions}` : sessionOptions,
    application_name: 'gangan-queue',
    connectionTimeoutMillis: 3_000,
    // A listener never writes: without keep-alive it would not notice that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 15_000,
  };
}

export function openQueuePool(url: string, poolSize: number): pg.Pool {
  const pool = new pg.Pool({ ...queueClientConfig(url), max: poolSize, idleTimeoutMillis: 30_000 });
  // Every lane adds an error listener; that is not a leak.
  pool.setMaxListeners(0);
  // A connection that breaks between two statements of its user would end the process. The next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Creates or updates BullMQ's tables and the table of the rate limits. Several processes may call it at once. */
export async function migrateQueue(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // Without a listener, a connection that breaks between two statements would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await runMigrations(client, queueSchema);
    await createBucketTable(client, queueSchema);
    await createSequenceFunction(client, queueSchema);
  } finally {
    await client.end();
  }
}
