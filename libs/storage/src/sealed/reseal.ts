import type { DataSealer } from '@gangan/sealing';
import { type Database, retryTransient, type RowOf, type SqlRunner } from '@gangan/database';
import type { KeyIds, Resealed, SealedTable, SliceRow } from './sealed-table.js';

const sliceSize = 500;

/** What was done with the texts of a column so far. */
export interface ResealProgress {
  /** Rows that were read. */
  checked: number;
  /** Texts that are now sealed with the first key. */
  resealed: number;
  /** Texts that an app was changing at that moment: another run seals them. */
  skipped: number;
  /** Texts that do not belong to their row, or were altered. */
  damaged: number;
}

export interface ResealObserver {
  readonly onProgress?: (progress: Readonly<ResealProgress>) => void;
  /** Called in the transaction of the first change. */
  readonly onFirstChange?: (transaction: SqlRunner) => Promise<void>;
}

/**
 * Seals the texts of a column with the first key, slice by slice. It may be interrupted and repeated, and apps may work
 * meanwhile: what they change is left to them.
 */
export async function reseal(
  database: Database,
  sealer: DataSealer,
  table: SealedTable,
  { onProgress, onFirstChange }: ResealObserver = {},
): Promise<ResealProgress> {
  const progress: ResealProgress = { checked: 0, resealed: 0, skipped: 0, damaged: 0 };
  const { earlier } = keyIdsOf(sealer);
  for (let after = table.start; ;) {
    const slice = { after, limit: sliceSize, earlierKeys: earlier };
    const rows = await retryTransient(() => database.run(table.read, slice));
    const due = rows.filter(({ plain, sealed }) => plain !== null || sealed !== null);
    const resealed = due.flatMap((row) => resealRow(sealer, table, row) ?? []);
    const store = (): Promise<number> =>
      database.transaction(async (transaction) => {
        const changed = await transaction.run(table.store, resealed);
        if (changed > 0 && progress.resealed === 0) await onFirstChange?.(transaction);
        return changed;
      });
    const stored = resealed.length > 0 ? await retryTransient(store) : 0;
    progress.checked += rows.length;
    progress.resealed += stored;
    progress.skipped += resealed.length - stored;
    progress.damaged += due.length - resealed.length;
    onProgress?.(progress);
    if (rows.length < sliceSize) return progress;
    after = rows.at(-1)?.id ?? after;
  }
}

/** The number of texts of a column, by the key that sealed them. */
export async function countSealed(
  database: Database,
  sealer: DataSealer,
  table: SealedTable,
): Promise<RowOf<SealedTable['count']> | undefined> {
  return (await database.run(table.count, keyIdsOf(sealer)))[0];
}

/** Opens the texts of the first rows of a column, and returns how many of them are damaged. */
export async function countDamaged(
  database: Database,
  sealer: DataSealer,
  table: SealedTable,
): Promise<{ readonly opened: number; readonly damaged: number }> {
  const slice = { after: table.start, limit: sliceSize, earlierKeys: sealer.openableIds };
  const rows = (await database.run(table.read, slice)).filter(({ sealed }) => sealed !== null);
  const opened = rows.filter((row) => resealRow(sealer, table, row)).length;
  return { opened, damaged: rows.length - opened };
}

const keyIdsOf = ({ sealingIds, openableIds }: DataSealer): KeyIds => ({
  first: sealingIds,
  earlier: openableIds.filter((id) => !sealingIds.some((first) => first.equals(id))),
});

function resealRow(
  sealer: DataSealer,
  { column }: SealedTable,
  { id, organisationId, domain, plain, sealed: before }: SliceRow,
): Resealed | undefined {
  const place = { column, organisationId, id, domain: domain ?? undefined };
  try {
    const text = before === null ? (plain ?? '') : sealer.open(before, place);
    return { id, before, sealed: sealer.seal(text, place) };
  } catch {
    return undefined;
  }
}
