import type { Sql, SqlRunner } from '@gangan/database';
import { distinct, organisationsOf, type Subject } from './items.js';
import { type MoveRow, moveStatement, type MoneyFlow, nothingAlongside } from './move-statement.js';

/** A transaction, or the `Database` itself if one statement does all. */
export type Ledger = SqlRunner;

const maxRounds = 3;

/**
 * Moves the money of many items in one statement. Items that its snapshot was too old to decide run again: an item whose
 * duplicate was committed meanwhile, and items that were refused because such a duplicate took the balance or the limit,
 * or was counted against it again. Returns the rows in the order of the items; there is none for an item that `amounts`
 * leaves out.
 */
export async function moveMoney<T extends Subject>(
  ledger: Ledger,
  flow: MoneyFlow,
  items: readonly T[],
  amounts: (items: readonly T[]) => Sql,
  alongside = nothingAlongside,
): Promise<(MoveRow | undefined)[]> {
  const rows = new Map<string, MoveRow>();
  let open = distinct(items);
  for (let round = 1; open.length > 0; round += 1) {
    if (round > maxRounds)
      throw new Error(`${open.length} ledger items are undecided after ${maxRounds} rounds`);
    const found = await ledger.run(moveStatement, flow, organisationsOf(open), amounts(open), alongside);
    for (const row of found) rows.set(row.subjectId, row);
    const withoutAccounts = open.find(({ subjectId }) => rows.get(subjectId)?.outcome === 'no_accounts');
    if (withoutAccounts)
      throw new Error(`Organisation ${withoutAccounts.organisationId} has no ledger accounts`);
    const undecided = undecidedAmong(found, round);
    open = open.filter(({ subjectId }) => undecided.has(subjectId));
  }
  return items.map(({ subjectId }) => rows.get(subjectId));
}

const isRefused = (outcome: MoveRow['outcome']): boolean =>
  outcome === 'insufficient' || outcome === 'over_limit';

function undecidedAmong(rows: readonly MoveRow[], round: number): Set<string> {
  const hasDuplicate = rows.some(({ outcome }) => outcome === 'duplicate');
  // If no duplicate is visible in the second round, the refusal stands.
  const undecided = rows.filter(
    ({ outcome, stale }) =>
      outcome === 'duplicate' || (isRefused(outcome) && (hasDuplicate || (stale && round === 1))),
  );
  return new Set(undecided.map(({ subjectId }) => subjectId));
}
