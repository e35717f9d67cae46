import pg from 'pg';
import { readMigrations } from './migration-files.js';
import { requireServerVersion } from './server-version.js';

/** A row of the history in `_prisma_migrations`. */
export interface MigrationRun {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/**
 * The migrations that `migrate` would apply; empty if the database is up to date.
 * @throws MigrationError if the server is too old
 */
export async function pendingMigrations(url: string): Promise<string[]> {
  const history = await withMigrationClient(url, readMigrationRuns, {
    query_timeout: 5_000,
    connectionTimeoutMillis: 5_000,
  });
  const applied = new Set(history?.filter(({ finished }) => finished).map(({ name }) => name));
  return (await readMigrations()).map(({ name }) => name).filter((name) => !applied.has(name));
}

export async function withMigrationClient<T>(
  url: string,
  work: (client: pg.Client) => Promise<T>,
  limits: pg.ClientConfig = { connectionTimeoutMillis: 10_000 },
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    keepAlive: true,
    application_name: 'gangan migrations',
    ...limits,
  });
  // Without a listener, a connection that breaks after its query would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await requireServerVersion(client);
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** What happened to each migration, without runs that were rolled back; `undefined` if there is no history yet. */
export async function readMigrationRuns(client: pg.Client): Promise<MigrationRun[] | undefined> {
  const { rows } = await client.query<{ exists: boolean }>(
    `SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`,
  );
  if (!rows[0]?.exists) return undefined;
  const history = await client.query<MigrationRun>(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL`,
  );
  return history.rows;
}
