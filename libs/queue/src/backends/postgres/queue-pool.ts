import pg from 'pg';

/** BullMQ's own schema: with a pool it did not build itself, it accepts no other. */
export const QUEUE_SCHEMA = 'bullmq';

/**
 * Queue tables hold what travels, not what is promised: a promise is a committed row of a domain, and what
 * Postgres forgets of the queue in a crash is swept up again. So commits here need not wait for the disk.
 */
const SESSION = `-c search_path=${QUEUE_SCHEMA} -c synchronous_commit=off -c statement_timeout=10000`;

/** The connection settings of this process's queue; an `options` parameter of the URL is kept, before ours. */
export function queueClientConfig(url: string): pg.ClientConfig {
  const parsed = new URL(url);
  const given = parsed.searchParams.get('options');
  parsed.searchParams.delete('options');
  return {
    connectionString: parsed.toString(),
    options: given ? `${given} ${SESSION}` : SESSION,
    application_name: 'gangan-queue',
    connectionTimeoutMillis: 3_000,
    // A listener never writes: only this tells it that the other end has silently gone.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    query_timeout: 15_000,
  };
}

export function openQueuePool(url: string, poolSize: number): pg.Pool {
  const pool = new pg.Pool({ ...queueClientConfig(url), max: poolSize, idleTimeoutMillis: 30_000 });
  // Every lane listens for its errors: many listeners are no leak.
  pool.setMaxListeners(0);
  return pool;
}
