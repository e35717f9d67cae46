import pg from 'pg';
import { sqlState } from '../sql/sql-failure.js';
import { migrationNames } from './prisma-folder.js';

const undefinedTable = '42P01';

/** What `migrate` would apply; empty when the database is up to date. Needs no engine, so that every start can ask. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    query_timeout: 5_000,
    application_name: 'gangan migrations',
  });
  // A connection that breaks later than its query has nobody else to tell.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const applied = await appliedMigrations(client);
    return (await migrationNames()).filter((name) => !applied.has(name));
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function appliedMigrations(client: pg.Client): Promise<Set<string>> {
  try {
    const { rows } = await client.query<{ migration_name: string }>(
      'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
    );
    return new Set(rows.map((row) => row.migration_name));
  } catch (error) {
    if (sqlState(error) === undefinedTable) return new Set();
    throw error;
  }
}
