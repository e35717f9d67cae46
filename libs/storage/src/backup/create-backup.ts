import { createHash } from 'node:crypto';
import { access, rename, rm, stat } from 'node:fs/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { StreamSealer } from '@gangan/sealing';
import { sealedTables } from '../sealed/sealed-tables.js';
import { withBackupClient } from './backup-client.js';
import { writeContent } from './backup-container.js';
import { BackupError } from './backup-error.js';
import {
  type BackupManifest,
  type BackupTable,
  countRows,
  endOfRows,
  fileFormat,
  type RowCounts,
} from './backup-file.js';

export interface CreatedBackup {
  readonly manifest: BackupManifest;
  readonly rows: RowCounts;
  readonly bytes: number;
}

/**
 * These tables are not backed up, nor are tables that refer to them. The history of migrations is in the manifest. Scrolls
 * last 15 minutes and are bound to the transactions of this server.
 */
const tablesWithoutRows = ['_prisma_migrations', 'contact_scroll'];

/** Columns whose values have no meaning on another server, and are replaced. */
const replaced: Readonly<Record<string, string>> = { 'contact_row.created_xid': 'NULL::xid8' };

/**
 * Writes all rows of the database, as they are at one moment, to a new sealed file that only its owner can read. Apps may
 * work meanwhile; migrations wait.
 */
export async function createBackup(
  url: string,
  path: string,
  sealer: StreamSealer,
  onProgress: (rows: number, estimatedRows: number) => void = () => undefined,
): Promise<CreatedBackup> {
  await refuseExisting(path);
  // Two commands may be given the same name at the same time.
  const unfinished = `${path}.${process.pid}.part`;
  await rm(unfinished, { force: true });
  try {
    const made = await withBackupClient(url, (client) =>
      writeSnapshot(client, unfinished, sealer, onProgress),
    );
    await refuseExisting(path);
    await rename(unfinished, path);
    return { ...made, bytes: (await stat(path)).size };
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

async function refuseExisting(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists) throw new BackupError(`${path} already exists: choose another name.`);
}

async function writeSnapshot(
  client: pg.Client,
  path: string,
  sealer: StreamSealer,
  onProgress: (rows: number, estimatedRows: number) => void,
): Promise<Omit<CreatedBackup, 'bytes'>> {
  const names = await tableNames(client);
  if (!names.includes('organisation'))
    throw new BackupError('The database has no tables of Gangan: correct DATABASE_URL.');
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  // Before the snapshot is taken, so that it has the tables as they stay until the end.
  await client.query(`LOCK TABLE ${names.map(pg.escapeIdentifier).join(', ')} IN ACCESS SHARE MODE`);
  const manifest = await describeDatabase(client);
  const estimatedRows = await estimateRows(client);
  const rows: Record<string, number> = {};
  let written = 0;
  const onRows = (table: string, count: number): void => {
    rows[table] = (rows[table] ?? 0) + count;
    written += count;
    onProgress(written, Math.max(written, estimatedRows));
  };
  await writeContent(path, sealer, () => partsOf(client, manifest, rows, onRows));
  await client.query('COMMIT');
  return { manifest, rows };
}

async function* partsOf(
  client: pg.Client,
  manifest: BackupManifest,
  rows: Record<string, number>,
  onRows: (table: string, count: number) => void,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (part: Buffer | string): Buffer => {
    const bytes = Buffer.from(part);
    hash.update(bytes);
    return bytes;
  };
  yield hashed(`${JSON.stringify(manifest)}\n`);
  for (const table of manifest.tables) {
    rows[table.name] = 0;
    yield hashed(`${JSON.stringify({ table: table.name })}\n`);
    for await (const chunk of client.query(copyTo(copyOut(table))) as AsyncIterable<Buffer>) {
      onRows(table.name, countRows(chunk));
      yield hashed(chunk);
    }
    yield hashed(endOfRows);
  }
  yield Buffer.from(`${JSON.stringify({ rows, sha256: hash.digest('hex') })}\n`);
}

function copyOut({ name, columns }: BackupTable): string {
  const values = columns.map((column) => replaced[`${name}.${column}`] ?? pg.escapeIdentifier(column));
  return `COPY (SELECT ${values.join(', ')} FROM ${pg.escapeIdentifier(name)}) TO STDOUT`;
}

async function describeDatabase(client: pg.Client): Promise<BackupManifest> {
  const migrations = await client.query<{ name: string; checksum: string }>(
    `SELECT migration_name AS name, checksum FROM _prisma_migrations
     WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL ORDER BY 1`,
  );
  const tables = await client.query<{ name: string; columns: string[] }>(
    `WITH RECURSIVE omitted AS (
       SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname = ANY ($1)
       UNION SELECT conrelid FROM omitted JOIN pg_constraint ON confrelid = omitted.oid AND contype = 'f')
     SELECT relname AS name, array_agg(attname::text ORDER BY attnum) AS columns
     FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
       AND pg_class.oid NOT IN (SELECT oid FROM omitted) AND NOT attisdropped AND attgenerated = ''
     GROUP BY relname ORDER BY relname`,
    [tablesWithoutRows],
  );
  const sequences = await client.query<{ name: string; last: string }>(
    `SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
     WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY 1`,
  );
  const server = await client.query<{ now: Date; version: string }>(
    `SELECT now(), current_setting('server_version') AS version`,
  );
  return {
    format: fileFormat,
    createdAt: server.rows[0]?.now.toISOString() ?? '',
    serverVersion: server.rows[0]?.version ?? '',
    migrations: migrations.rows,
    tables: tables.rows,
    sequences: Object.fromEntries(sequences.rows.map(({ name, last }) => [name, last])),
    dataKeyIds: await dataKeyIds(client),
  };
}

export async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

async function estimateRows(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ rows: number }>(
    `SELECT coalesce(sum(greatest(reltuples, 0)), 0)::float8 AS rows FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'`,
  );
  return rows[0]?.rows ?? 0;
}

async function dataKeyIds(client: pg.Client): Promise<string[]> {
  const ids = new Set<string>();
  for (const { keyIds } of sealedTables) {
    const { rows } = await client.query<{ id: string }>(keyIds.text);
    for (const { id } of rows) ids.add(id);
  }
  return [...ids].sort();
}
