import {
  type LedgerAccountKind,
  type LedgerMovementKind,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import type { Spending } from './daily-limits.js';
import { givenAmounts, refundedAmounts, reservedAmounts, voidedAmounts } from './items.js';

/** Where the money of one kind of movement comes from and goes to. */
export interface MoneyFlow {
  readonly kind: LedgerMovementKind;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  /** A subject that has a movement of one of these kinds is not moved again. */
  readonly onceAmong: readonly LedgerMovementKind[];
  /** Money that leaves the wallet for this counts on the limits of the day. */
  readonly spending?: Spending;
}

/** Further parts of the WITH clause, and a condition on `item` and these parts. */
export interface Alongside {
  readonly parts: Sql;
  readonly condition: Sql;
}

export const nothingAlongside: Alongside = { parts: sql``, condition: sql`false` };

export type MoveRow = RowOf<typeof moveStatement>;

const shape = {
  subjectId: t.uuid,
  /** Along the flow. For an earlier item the amount that moved then; negative if it moved the other way. */
  kobo: t.bigint,
  earlierKind: t.nullable(t.enumOf<LedgerMovementKind>('ledger_movement_kind')),
  /** `earlier`: moved before. */
  outcome: t.textOf<'moved' | 'earlier' | 'insufficient' | 'over_limit'>(),
  /** Of the wallet, after this item or when it was refused; null if the flow does not touch the wallet. */
  balance: t.nullable(t.bigint),
  /** The limits of the day and what they left before the first item; null if there is no limit. */
  dailyLimit: t.nullable(t.bigint),
  dailyRoom: t.nullable(t.bigint),
  categoryLimit: t.nullable(t.bigint),
  categoryRoom: t.nullable(t.bigint),
  /** What balance and limits left together when the item was refused. */
  remaining: t.nullable(t.bigint),
  /** The condition of `alongside`. */
  isConditionMet: t.bool,
};

const anyFlow: MoneyFlow = { kind: 'charge', from: 'wallet', to: 'revenue', onceAmong: ['charge'] };

/**
 * Moves the money of many items along one flow; each item succeeds or fails alone. `items` is a query of (position,
 * subject_id, organisation_id, kobo, note) and, for a refund, the category and the day of what it refunds. The function
 * `move_money` (`prisma/functions`) locks the balances, decides and writes. `accepted` is what `alongside` may join, see
 * `charge`.
 */
export const moveStatement = statement(
  shape,
  ({ kind, from, to, onceAmong, spending }: MoneyFlow, items: Sql, { parts, condition }: Alongside) => sql`
  WITH item AS MATERIALIZED (
    SELECT result.* FROM (
      SELECT array_agg(subject_id ORDER BY position) AS subjects, array_agg(organisation_id ORDER BY position) AS owners,
        array_agg(kobo ORDER BY position) AS amounts, array_agg(note ORDER BY position) AS notes,
        array_agg(category ORDER BY position) AS categories, array_agg(spent_on ORDER BY position) AS days
      FROM (${items}) requested HAVING count(*) > 0) given
    CROSS JOIN LATERAL move_money(${kind}::ledger_movement_kind, ${from}::ledger_account_kind,
      ${to}::ledger_account_kind, ${onceAmong}::ledger_movement_kind[],
      ${spending?.category ?? null}::spend_category, ${spending?.dailyLimit ?? null}::bigint,
      ${spending?.categoryLimit ?? null}::bigint, subjects, owners, amounts, notes, categories, days) result
  ), accepted AS (SELECT subject_id, kobo, balance FROM item WHERE outcome = 'moved')${parts}
  SELECT subject_id AS "subjectId", kobo, earlier_kind AS "earlierKind", outcome, balance, daily_limit AS "dailyLimit",
    daily_room AS "dailyRoom", category_limit AS "categoryLimit", category_room AS "categoryRoom", remaining,
    ${condition} AS "isConditionMet"
  FROM item`,
  {
    samples: [givenAmounts([]), refundedAmounts([]), reservedAmounts([]), voidedAmounts([])].map((items) => [
      anyFlow,
      items,
      {
        parts: sql`, bought AS (SELECT subject_id, kobo, balance FROM accepted)`,
        condition: sql`item.subject_id IN (SELECT subject_id FROM bought)`,
      },
    ]),
  },
);
