import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '@gangan/protocol';
import type pg from 'pg';
import {
  isLockTimeout,
  type Migration,
  MigrationError,
  type MigrationRun,
  readMigrationRuns,
  readMigrations,
  withMigrationClient,
} from '@gangan/database';
import { applyFunctions, type FunctionFile, readFunctions } from './function-files.js';

type Report = (line: string) => void;

/** The lock that `prisma migrate deploy` takes, so that only one process migrates at a time. */
const migrationLock = 72_707_369;

/** Creates the table of the history as Prisma does. */
const createHistory = `
  CREATE TABLE _prisma_migrations (
    id varchar(36) PRIMARY KEY, checksum varchar(64) NOT NULL, finished_at timestamptz,
    migration_name varchar(255) NOT NULL, logs text, rolled_back_at timestamptz,
    started_at timestamptz NOT NULL DEFAULT now(), applied_steps_count integer NOT NULL DEFAULT 0)`;

/**
 * How a migration waits for locks. All statements that come after it wait too, so it gives up soon, lets them pass, and
 * tries again.
 */
export interface LockPatience {
  readonly timeoutMs: number;
  readonly pauseMs: number;
  readonly maxAttempts: number;
}

const reportEveryMs = 10_000;

/** By default a migration waits for locks for about five minutes. */
export const defaultPatience: LockPatience = { timeoutMs: 3_000, pauseMs: 7_000, maxAttempts: 30 };

/**
 * Applies every pending migration in order, each in one transaction, and returns their names. What a migration raises as
 * INFO is reported. Processes that migrate at the same time wait for each other. The history in `_prisma_migrations` is
 * the one of `prisma migrate deploy`. The functions that have changed are applied with the last migration.
 * @param migrations applies only these, and no functions, which are of the newest schema
 */
export async function migrate(
  url: string,
  report: Report = () => undefined,
  migrations?: readonly Migration[],
  patience = defaultPatience,
): Promise<string[]> {
  try {
    return await withMigrationClient(url, async (client) => {
      client.on('notice', ({ severity, message = '' }) => {
        if (severity === 'INFO') report(message);
      });
      await takeLock(client, report);
      const known = migrations ?? (await readMigrations());
      if (!migrations) await refuseReplaced(client, known);
      const pending = await findPending(client, known, report);
      const functions = migrations || (await hasNewer(client, known)) ? [] : await readFunctions();
      const last = pending.at(-1);
      for (const migration of pending) {
        await convertInPortions(client, migration, report);
        await applyPatiently(client, migration, migration === last ? functions : [], patience, report);
      }
      if (!last)
        reportFunctions(await inTransaction(client, () => applyFunctions(client, functions)), report);
      return pending.map(({ name }) => name);
    });
  } catch (error) {
    throw error instanceof MigrationError ? error : MigrationError.unusable(url, error);
  }
}

/** Runs `work` in one transaction, while no other process migrates. */
export const inMigrationTransaction = <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withMigrationClient(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });

/** The module is loaded when this is called, because it needs packages that only a development installation has. */
export const schemaDrift = async (url: string): Promise<string> =>
  (await import('./schema-drift.js')).schemaDrift(url);

async function takeLock(client: pg.Client, report: Report): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
    migrationLock,
  ]);
  if (rows[0]?.taken) return;
  report('Another process is migrating; waiting for it');
  await client.query('SELECT pg_advisory_lock($1)', [migrationLock]);
}

async function findPending(
  client: pg.Client,
  migrations: readonly Migration[],
  report: Report,
): Promise<Migration[]> {
  const history = (await readMigrationRuns(client)) ?? (await beginHistory(client));
  const pending: Migration[] = [];
  for (const migration of migrations) {
    const { name, checksum } = migration;
    const run = history.find((row) => row.name === name);
    if (!run?.finished) pending.push(migration);
    else if (run.checksum !== checksum) {
      throw new MigrationError(
        `Migration ${name} was edited after it had been applied to this database. Restore the file, and put the change into a new migration.`,
      );
    }
    // A run that did not finish was rolled back with its connection.
    if (run?.finished === false) {
      report(`Migration ${name} was interrupted; trying it again`);
      await client.query(
        'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE migration_name = $1 AND finished_at IS NULL AND rolled_back_at IS NULL',
        [name],
      );
    }
  }
  return pending;
}

/**
 * Migrations of releases are only added: a database of a newer version has all that are older than its own. One that is
 * unknown, and older than a pending one, is of a build between two releases, whose migrations were replaced.
 */
async function refuseReplaced(client: pg.Client, known: readonly Migration[]): Promise<void> {
  const history = (await readMigrationRuns(client)) ?? [];
  const applied = new Set(history.filter(({ finished }) => finished).map(({ name }) => name));
  const lastPending = known.findLast(({ name }) => !applied.has(name));
  if (!lastPending) return;
  for (const { name } of known) applied.delete(name);
  const replaced = [...applied].filter((name) => name < lastPending.name).sort();
  if (replaced.length > 0) throw MigrationError.replaced(replaced);
}

/** Whether the database is of a newer version; it then has the functions of that version, too. */
async function hasNewer(client: pg.Client, known: readonly Migration[]): Promise<boolean> {
  const names = new Set(known.map(({ name }) => name));
  return (await readMigrationRuns(client))?.some(({ name }) => !names.has(name)) ?? false;
}

async function beginHistory(client: pg.Client): Promise<MigrationRun[]> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') LIMIT 1`,
  );
  if (rowCount) {
    throw new MigrationError(
      'The database holds tables of another application. Create an empty database and name it in DATABASE_URL.',
    );
  }
  await client.query(createHistory);
  return [];
}

/**
 * After an interruption it continues with the next portion. A small portion is the last one: rows that are inserted
 * meanwhile would otherwise make a further one each time.
 */
async function convertInPortions(client: pg.Client, migration: Migration, report: Report): Promise<void> {
  if (!migration.portion) return;
  const { sql, rows } = migration.portion;
  let reportedAt = Date.now();
  for (let converted = 0; ;) {
    const { rowCount } = await client.query(sql, [rows]).catch((error: unknown) => {
      throw MigrationError.failed(migration, error);
    });
    if (!rowCount || rowCount < rows / 2) return;
    converted += rowCount;
    if (Date.now() - reportedAt < reportEveryMs) continue;
    report(`Migration ${migration.name}: ${converted} rows converted`);
    reportedAt = Date.now();
  }
}

async function applyPatiently(
  client: pg.Client,
  migration: Migration,
  functions: readonly FunctionFile[],
  { timeoutMs, pauseMs, maxAttempts }: LockPatience,
  report: Report,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const changed = await apply(client, migration, functions, timeoutMs);
      report(`Applied ${migration.name}`);
      reportFunctions(changed, report);
      return;
    } catch (error) {
      if (!isLockTimeout(error)) throw MigrationError.failed(migration, error);
      const blocker = await oldestTransaction(client);
      if (attempt >= maxAttempts) throw MigrationError.locked(migration, blocker, error);
      report(
        `Migration ${migration.name} needs a lock on a table in use; it lets others pass and tries again (${attempt} of ${maxAttempts}). ${blocker}`,
      );
      await sleep(pauseMs);
    }
  }
}

/** Names the oldest transaction in a sentence: it is the most likely reason why a lock is not granted. */
async function oldestTransaction(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pid: number; name: string; seconds: number }>(`
    SELECT pid, application_name AS name, floor(extract(epoch FROM clock_timestamp() - xact_start))::int AS seconds
    FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
    ORDER BY xact_start LIMIT 1`);
  const [oldest] = rows;
  if (!oldest) return 'No other transaction is open now.';
  const { pid, name, seconds } = oldest;
  return `The oldest open transaction is that of ${name || 'a client without a name'} (pid ${pid}), for ${seconds} s.`;
}

/**
 * The script, its history row and the functions are one transaction: a migration that fails or is cut off leaves nothing
 * behind. Returns the names of the functions that have changed.
 */
async function apply(
  client: pg.Client,
  { name, sql, checksum }: Migration,
  functions: readonly FunctionFile[],
  lockTimeoutMs: number,
): Promise<string[]> {
  return inTransaction(client, async () => {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await client.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at)
       VALUES ($1, $2, $3, clock_timestamp())`,
      [newId(), checksum, name],
    );
    await client.query(sql);
    await client.query(
      `UPDATE _prisma_migrations SET finished_at = clock_timestamp(), applied_steps_count = 1
       WHERE migration_name = $1 AND rolled_back_at IS NULL`,
      [name],
    );
    return applyFunctions(client, functions);
  });
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  try {
    await client.query('BEGIN');
    const result = await work();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

function reportFunctions(names: readonly string[], report: Report): void {
  for (const name of names) report(`Applied the function ${name}`);
}
