import { setTimeout as pause } from 'node:timers/promises';
import { runMigrations } from 'bullmq';
import { withPostgresOptions } from '@gangan/protocol';
import pg from 'pg';
import { createSequenceFunction } from './job-sequences.js';
import { createBucketTable } from './postgres-bucket-store.js';

/** BullMQ accepts no other schema with a pool that it did not create. */
const queueSchema = 'bullmq';

/**
 * The queue tables carry jobs in transit. What has to survive a crash is a committed row of a domain, and sweepers find such
 * rows again. So commits of the queue need not wait for the disk.
 */
const sessionSettings = { search_path: queueSchema, synchronous_commit: 'off', statement_timeout: '10000' };

/** The connection settings of the queues. */
export function queueClientConfig(url: string): pg.ClientConfig {
  return {
    ...withPostgresOptions(url, sessionSettings),
    application_name: 'gangan-queue',
    connectionTimeoutMillis: 3_000,
    // A listener never writes: without keep-alive it would not notice that the server is gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 15_000,
  };
}

const inUse = new WeakMap<pg.Pool, Set<pg.PoolClient>>();

export function openQueuePool(url: string, poolSize: number): pg.Pool {
  const pool = new pg.Pool({ ...queueClientConfig(url), max: poolSize, idleTimeoutMillis: 30_000 });
  // Every lane adds an error listener; that is not a leak.
  pool.setMaxListeners(0);
  const used = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => used.add(client));
  pool.on('release', (_, client) => used.delete(client));
  inUse.set(pool, used);
  // A connection that breaks between two statements of its user would end the process. The next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

const endGraceMs = 1_000;

/**
 * Ends the pool. Connections that are still in use after a while are destroyed: a BullMQ worker that is closed while it
 * starts never returns the connection that it listens on.
 */
export async function endPool(pool: pg.Pool): Promise<void> {
  const ended = pool.end();
  await Promise.race([ended, pause(endGraceMs, undefined, { ref: false })]);
  for (const client of inUse.get(pool) ?? []) client.release(true);
  await ended;
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
