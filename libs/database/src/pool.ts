import { parseUrl, withPostgresOptions } from '@gangan/protocol';
import pg from 'pg';

export interface DatabaseSettings {
  readonly url: string;
  readonly poolSize: number;
  /** The name of the process in `pg_stat_activity`. */
  readonly name?: string;
  /** How long one statement may run. A bulk job that needs longer opens a Database of its own. */
  readonly statementTimeoutMs?: number;
  /** How long a caller waits for a connection, new or in use by others. */
  readonly connectionTimeoutMs?: number;
  /** Lets statements scan tables, for reports over whole tables. Otherwise they look rows up by index. */
  readonly allowScans?: boolean;
}

/**
 * A connection keeps the plan of a prepared statement, and may have made it while the table was small. Without this, the
 * statement would later scan the whole table each time. Joins stay bounded because of how the statements are written,
 * which `test/statements.spec.ts` checks.
 */
const byIndex = { enable_seqscan: 'off' };

const schemes = ['postgresql:', 'postgres:'];

/** What is wrong with a `DATABASE_URL`; the text follows the name of the variable. */
export function databaseUrlFault(url: string): string | undefined {
  const parsed = parseUrl(url);
  if (parsed && schemes.includes(parsed.protocol) && parsed.host !== '') return undefined;
  return `must be a URL that starts with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`;
}

export const timeoutsOf = (settings: DatabaseSettings) => ({
  statementTimeoutMs: settings.statementTimeoutMs ?? 30_000,
  connectionTimeoutMs: settings.connectionTimeoutMs ?? 5_000,
});

/** A pool in which every wait has a limit: for a connection, for a reply, and for the end of a transaction. */
export function openPool(settings: DatabaseSettings): pg.Pool {
  const { statementTimeoutMs, connectionTimeoutMs } = timeoutsOf(settings);
  const pool = new pg.Pool({
    ...withPostgresOptions(settings.url, settings.allowScans ? {} : byIndex),
    max: settings.poolSize,
    application_name: settings.name ?? 'gangan',
    connectionTimeoutMillis: connectionTimeoutMs,
    idleTimeoutMillis: 30_000,
    // Connections that are never idle also notice a fail-over.
    maxLifetimeSeconds: 1_800,
    statement_timeout: statementTimeoutMs,
    // The process stops waiting even if the network loses the reply of the server.
    query_timeout: statementTimeoutMs + Math.min(5_000, statementTimeoutMs),
    idle_in_transaction_session_timeout: statementTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...beforeUse,
  });
  // The pool stops listening before its user can begin. A connection that breaks in between would end the process; the
  // next statement on it fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * Awaited before a connection is used. Prisma's adapter writes times without an offset and reads every offset as UTC,
 * which is correct only if the session's time zone is UTC.
 */
const beforeUse = {
  onConnect: (client: pg.ClientBase) => client.query(`SET TIME ZONE 'UTC'`),
};
