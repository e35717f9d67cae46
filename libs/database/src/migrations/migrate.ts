import { unreachable } from './unreachable.js';
import { MigrationError } from './migration-error.js';
import { migrationList, type OpenEngine, wholeSchema, withSchemaEngine } from './schema-engine.js';

type Report = (line: string) => void;

/** The lock that Prisma's own `migrate deploy` takes: whoever migrates, one at a time. */
const migrationLock = 72_707_369;

/**
 * Applies every migration that is missing, in order, and gives their names. Each is one transaction.
 * Processes that migrate at the same time wait for each other.
 */
export async function migrate(url: string, report: Report = () => undefined): Promise<string[]> {
  try {
    return await withSchemaEngine(url, async (open) => {
      await takeLock(open, report);
      await forgetInterrupted(open, report);
      return await apply(open, report);
    });
  } catch (error) {
    throw error instanceof MigrationError ? error : unreachable(url, error);
  }
}

async function takeLock({ connection }: OpenEngine, report: Report): Promise<void> {
  const { rows } = await connection.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
    migrationLock,
  ]);
  if (rows[0]?.taken) return;
  report('Another process is migrating; waiting for it');
  await connection.query('SELECT pg_advisory_lock($1)', [migrationLock]);
}

/** A migration that was begun and not ended was undone with its connection; it may be tried again. */
async function forgetInterrupted({ engine }: OpenEngine, report: Report): Promise<void> {
  const history = await engine.diagnoseMigrationHistory({
    migrationsList: await migrationList(),
    optInToShadowDatabase: false,
    filters: wholeSchema,
  });
  for (const name of history.editedMigrationNames) {
    report(`Migration ${name} was changed after it had been applied here; the change has no effect`);
  }
  for (const migrationName of history.failedMigrationNames) {
    report(`Migration ${migrationName} was interrupted; trying it again`);
    await engine.markMigrationRolledBack({ migrationName });
  }
}

async function apply({ engine }: OpenEngine, report: Report): Promise<string[]> {
  const migrationsList = await migrationList();
  try {
    const { appliedMigrationNames } = await engine.applyMigrations({ migrationsList, filters: wholeSchema });
    for (const name of appliedMigrationNames) report(`Applied ${name}`);
    return appliedMigrationNames;
  } catch (error) {
    const { failedMigrationNames } = await engine.diagnoseMigrationHistory({
      migrationsList,
      optInToShadowDatabase: false,
      filters: wholeSchema,
    });
    for (const migrationName of failedMigrationNames) await engine.markMigrationRolledBack({ migrationName });
    throw MigrationError.because(error, failedMigrationNames[0]);
  }
}
