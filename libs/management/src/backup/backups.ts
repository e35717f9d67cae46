import { checkLedger } from '@gangan/billing';
import { type Database, sql, statement, t } from '@gangan/database';
import type { DataSealer, StreamSealer } from '@gangan/sealing';
import {
  countDamaged,
  countSealed,
  createBackup,
  type CreatedBackup,
  type RestoredBackup,
  sealedTables,
} from '@gangan/storage';
import type { Access } from '../access.js';
import { audit } from '../audit.js';

export const backupSummary = ({ manifest, rows }: Pick<CreatedBackup, 'manifest' | 'rows'>) => ({
  created: manifest.createdAt,
  rows: Object.values(rows).reduce((sum, count) => sum + count, 0),
  tables: manifest.tables.length,
  last_migration: manifest.migrations.at(-1)?.name,
  data_keys: [...manifest.dataKeyIds],
});

export interface BackupTarget {
  /** Of the owner of the tables. */
  readonly url: string;
  readonly file: string;
  readonly sealer: StreamSealer;
}

/** Writes all data of the database to a new file. */
export async function backUp(
  { database, principal }: Access,
  { url, file, sealer }: BackupTarget,
  onProgress: (rows: number, estimatedRows: number) => void,
): Promise<CreatedBackup> {
  // First, so that the backup has it: the file contains everything.
  const entry = { target: file.slice(-255), after: { key_id: sealer.sealingId } };
  await audit(database, principal, 'backup create', entry);
  return createBackup(url, file, sealer, onProgress);
}

/** Adds the restore to the audit log that was restored. */
export function logRestore({ database, principal }: Access, file: string, restored: RestoredBackup) {
  const { created, rows } = backupSummary(restored);
  const after = { created, rows, authenticated: restored.isAuthenticated, suspended: restored.suspended };
  return audit(database, principal, 'backup restore', { target: file.slice(-255), after });
}

/** What the apps will do when they start. It may have been done before, after the backup was made. */
const countWaiting = statement(
  { waiting_deliveries: t.int, waiting_airtime: t.int, waiting_callbacks: t.int },
  () => sql`
    SELECT (SELECT count(*)::int FROM delivery WHERE state IN ('queued', 'submitting')) AS waiting_deliveries,
      (SELECT count(*)::int FROM airtime_purchase WHERE state IN ('pending', 'submitting')) AS waiting_airtime,
      (SELECT count(*)::int FROM callback WHERE state = 'pending') AS waiting_callbacks`,
);

/** What an operator must know of a restored database before the apps start. */
export async function checkRestored(database: Database, sealer: DataSealer) {
  /** The columns of which DATA_MASTER_KEY does not open every text, or not all of the first rows. */
  const unreadable: string[] = [];
  for (const table of sealedTables) {
    const unknown = (await countSealed(database, sealer, table))?.unknown_keys ?? 0;
    const { damaged } = await countDamaged(database, sealer, table);
    if (unknown + damaged > 0) unreadable.push(table.column);
  }
  const { findings } = await checkLedger(database);
  const [waiting] = await database.run(countWaiting);
  return { unreadable, ledgerFindings: findings.length, waiting };
}
