import pg from 'pg';

export interface DatabaseSettings {
  readonly url: string;
  /** The most connections this process holds. */
  readonly poolSize: number;
  /** What the process is called in `pg_stat_activity`. */
  readonly name?: string;
  /** How long one statement may run. A bulk job that needs longer opens a Database of its own. */
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a connection, be it new or in use by others. */
  readonly connectionTimeoutMs?: number;
}

export const timeoutsOf = (settings: DatabaseSettings) => ({
  statementTimeoutMs: settings.statementTimeoutMs ?? 30_000,
  connectionTimeoutMs: settings.connectionTimeoutMs ?? 5_000,
});

/** A pool in which nothing waits for ever: neither for a connection, nor for an answer, nor a transaction for its end. */
export function openPool(settings: DatabaseSettings): pg.Pool {
  const { statementTimeoutMs, connectionTimeoutMs } = timeoutsOf(settings);
  return new pg.Pool({
    connectionString: settings.url,
    max: settings.poolSize,
    application_name: settings.name ?? 'gangan',
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 30_000,
    // A fail-over is noticed even by connections that are never idle.
    maxLifetimeSeconds: 1_800,
    statement_timeout: statementTimeoutMs,
    // When the server cannot say so itself, because the network swallows its answer.
    query_timeout: statementTimeoutMs + 5_000,
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...beforeUse,
  });
}

/**
 * Awaited before a connection is handed out. Prisma's adapter writes times without an offset and takes every offset it
 * reads for UTC: right only while the session's time zone is.
 */
const beforeUse = {
  onConnect: (client: pg.ClientBase) => client.query(`SET TIME ZONE 'UTC'`),
};
