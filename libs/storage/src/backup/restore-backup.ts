import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { migrate } from '../migrations/migrate.js';
import { type Migration, readMigrations } from '@gangan/database';
import { withBackupClient } from './backup-client.js';
import type { BackupAccess } from './backup-container.js';
import { BackupError } from './backup-error.js';
import { type Backup, type BackupManifest, type BackupTable, readBackup } from './backup-file.js';
import { tableNames } from './create-backup.js';
import { withoutRules } from './without-rules.js';

export interface RestoreOptions extends BackupAccess {
  /** The ids of the keys that open stored values, in hex. */
  readonly dataKeyIds: readonly string[];
  /** Suspends the live organisations in the transaction that adds the rows, so that no app submits anything. */
  readonly suspendLive: boolean;
  readonly report?: (line: string) => void;
  readonly onProgress?: (rows: number, allRows: number) => void;
}

export interface RestoredBackup extends Backup {
  /** Migrations that are newer than the backup. */
  readonly migrated: readonly string[];
  /** The ids of the live organisations that were suspended. */
  readonly suspended: readonly string[];
}

/**
 * Creates the schema as it was when the backup was made, adds all rows in one transaction, then applies newer migrations.
 * The database must be empty, and no other client connected to it. Roles and the tables of the queue are not restored.
 * @throws BackupError before anything was changed if the backup cannot be restored here
 */
export async function restoreBackup(
  url: string,
  path: string,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  const { dataKeyIds, report = () => undefined } = options;
  report('Checking the file');
  const backup = await readBackup(path, options);
  const migrations = await migrationsOf(backup.manifest);
  refuseUnknownKeys(backup.manifest, dataKeyIds);
  return withBackupClient(url, async (client) => {
    await refuseUsedDatabase(client);
    report('Creating the tables');
    await migrate(url, undefined, migrations);
    report('Restoring the rows');
    const suspended = await load(client, path, backup, options);
    const migrated = await migrate(url, report);
    report('Collecting statistics of the tables');
    await client.query(`VACUUM (ANALYZE) ${(await tableNames(client)).map(pg.escapeIdentifier).join(', ')}`);
    return { ...backup, migrated, suspended };
  });
}

/** The migrations that the backup has, which this version must know. */
async function migrationsOf({ migrations }: BackupManifest): Promise<Migration[]> {
  const known = await readMigrations();
  const unknown = migrations.filter(
    ({ name, checksum }) =>
      !known.some((migration) => migration.name === name && migration.checksum === checksum),
  );
  const lastKnown = known.at(-1)?.name ?? '';
  const replaced = unknown.find(({ name }) => name < lastKnown);
  if (replaced)
    throw new BackupError(
      `The backup was made by a build between two releases: this version does not have its migration ${replaced.name}. Restore it with the build that made it. Nothing was restored.`,
    );
  if (unknown.length > 0)
    throw new BackupError(
      `The backup was made by a newer version: this one lacks ${unknown.map(({ name }) => name).join(', ')}. Restore it with the version that made it, or a later one.`,
    );
  return known.filter(({ name }) => migrations.some((migration) => migration.name === name));
}

function refuseUnknownKeys({ dataKeyIds }: BackupManifest, known: readonly string[]): void {
  const missing = dataKeyIds.filter((id) => !known.includes(id));
  if (missing.length > 0)
    throw new BackupError(
      `The backup has secrets that DATA_MASTER_KEY does not open: they were sealed with the ${missing.length === 1 ? 'key' : 'keys'} ${missing.join(', ')}. Set DATA_MASTER_KEY to the value of the system that made the backup. Nothing was restored.`,
    );
}

async function refuseUsedDatabase(client: pg.Client): Promise<void> {
  if ((await tableNames(client)).length > 0 || (await hasQueue(client)))
    throw new BackupError(
      'The database is not empty. Create a new one (CREATE DATABASE) and set DATABASE_URL to it. Nothing was restored.',
    );
  const { rows } = await client.query<{ name: string; count: string }>(
    `SELECT coalesce(nullif(application_name, ''), usename) AS name, count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
     GROUP BY 1 ORDER BY 1`,
  );
  if (rows.length > 0)
    throw new BackupError(
      `Others are connected to the database: ${rows.map(({ name, count }) => `${name} (${count})`).join(', ')}. Stop all apps and other clients. Nothing was restored.`,
    );
}

/** Jobs that wait in the database belong to other rows. */
async function hasQueue(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("SELECT FROM pg_tables WHERE schemaname = 'bullmq' LIMIT 1");
  return rows.length > 0;
}

/** Loads the rows in one transaction: if it fails, the tables stay empty. */
async function load(
  client: pg.Client,
  path: string,
  backup: Backup,
  { onProgress = () => undefined, suspendLive, ...access }: RestoreOptions,
): Promise<string[]> {
  const allRows = Object.values(backup.rows).reduce((sum, count) => sum + count, 0);
  let loaded = 0;
  await client.query('BEGIN');
  try {
    await withoutRules(client, async () => {
      // Migrations add some rows.
      const names = backup.manifest.tables.map(({ name }) => pg.escapeIdentifier(name));
      await client.query(`TRUNCATE ${names.join(', ')}`);
      const again = await readBackup(path, access, {
        onTable: (table, rows) => copyIn(client, table, rows),
        onRows: (count) => {
          loaded += count;
          onProgress(loaded, allRows);
        },
      });
      if (again.sha256 !== backup.sha256)
        throw new Error('the file was replaced by another while it was restored');
    });
    for (const [name, last] of Object.entries(backup.manifest.sequences))
      await client.query('SELECT setval($1::regclass, $2)', [pg.escapeIdentifier(name), last]);
    await checkCounts(client, backup);
    const suspended = suspendLive ? await suspend(client) : [];
    await client.query('COMMIT');
    return suspended;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `The rows were not restored: ${(error as Error).message}. The tables of the database are empty: drop it, create it again, and repeat.`,
      { cause: error },
    );
  }
}

async function copyIn(
  client: pg.Client,
  { name, columns }: BackupTable,
  rows: AsyncIterable<Buffer>,
): Promise<void> {
  const target = `${pg.escapeIdentifier(name)} (${columns.map(pg.escapeIdentifier).join(', ')})`;
  await pipeline(rows, client.query(copyFrom(`COPY ${target} FROM STDIN`)));
}

async function checkCounts(client: pg.Client, { rows }: Backup): Promise<void> {
  for (const [name, expected] of Object.entries(rows)) {
    const found = await client.query<{ count: string }>(`SELECT count(*) FROM ${pg.escapeIdentifier(name)}`);
    if (Number(found.rows[0]?.count) !== expected)
      throw new Error(`${name} has ${found.rows[0]?.count} rows instead of ${expected}`);
  }
}

async function suspend(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    `UPDATE organisation SET status = 'suspended' WHERE mode = 'live' AND status = 'active' RETURNING id`,
  );
  return rows.map(({ id }) => id);
}
