import type { Sql, SqlRunner } from '@gangan/database';
import { distinct, type Subject } from './items.js';
import { type MoveRow, moveStatement, type MoneyFlow, nothingAlongside } from './move-statement.js';

/** A transaction, or the `Database` itself if one statement does all. */
export type Ledger = SqlRunner;

/**
 * Moves the money of many items in one statement. Returns the rows in the order of the items; there is none for an item
 * that `amounts` leaves out.
 */
export async function moveMoney<T extends Subject>(
  ledger: Ledger,
  flow: MoneyFlow,
  items: readonly T[],
  amounts: (items: readonly T[]) => Sql,
  alongside = nothingAlongside,
): Promise<(MoveRow | undefined)[]> {
  if (items.length === 0) return [];
  const found = await ledger.run(moveStatement, flow, amounts(distinct(items)), alongside);
  const rows = new Map(found.map((row) => [row.subjectId, row]));
  return items.map(({ subjectId }) => rows.get(subjectId));
}
