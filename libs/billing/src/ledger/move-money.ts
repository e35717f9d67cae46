import type { Sql, SqlRunner } from '@gangan/database';
import { distinct, type Subject } from './items.js';
import { type MoveRow, moveStatement, nothingAlongside } from './move-statement.js';

/** A transaction, or the `Database` itself if one statement does all. */
export type Ledger = SqlRunner;

/** The call of a money function (`prisma/functions`) for these items. */
export type MoneyCall<T> = (items: readonly T[]) => Sql;

/**
 * Moves the money of many items in one statement. Returns the rows in the order of the items; there is none for an item
 * that the function leaves out.
 */
export async function moveMoney<T extends Subject>(
  ledger: Ledger,
  call: MoneyCall<T>,
  items: readonly T[],
  alongside = nothingAlongside,
): Promise<(MoveRow | undefined)[]> {
  if (items.length === 0) return [];
  const found = await ledger.run(moveStatement, call(distinct(items)), alongside);
  const rows = new Map(found.map((row) => [row.subjectId, row]));
  return items.map(({ subjectId }) => rows.get(subjectId));
}
