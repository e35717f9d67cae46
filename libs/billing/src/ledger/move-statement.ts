import { type LedgerMovementKind, type RowOf, type Sql, sql, statement, t } from '@gangan/database';
import { itemArrays, subjectArrays } from './items.js';

/** Further parts of the WITH clause, and a condition on `item` and these parts. */
export interface Alongside {
  readonly parts: Sql;
  readonly condition: Sql;
}

export const nothingAlongside: Alongside = { parts: sql``, condition: sql`false` };

export type MoveRow = RowOf<typeof moveStatement>;

const shape = {
  subjectId: t.uuid,
  /** The amount that moved: negative if it moved against the flow. For a repeated item, what moved the first time. */
  kobo: t.bigint,
  earlierKind: t.nullable(t.enumOf<LedgerMovementKind>('ledger_movement_kind')),
  /** `earlier` means that money moved for this subject before. */
  outcome: t.textOf<'moved' | 'earlier' | 'insufficient' | 'over_limit'>(),
  /** The balance of the wallet after this item, or when it was refused; null if the flow does not touch the wallet. */
  balance: t.nullable(t.bigint),
  /** The limits of the day and what they left before the first item; null if there is no limit. */
  dailyLimit: t.nullable(t.bigint),
  dailyRoom: t.nullable(t.bigint),
  categoryLimit: t.nullable(t.bigint),
  categoryRoom: t.nullable(t.bigint),
  /** What balance and limits left together when the item was refused. */
  remaining: t.nullable(t.bigint),
  /** Whether the condition of `alongside` was met. */
  isConditionMet: t.bool,
};

/**
 * Calls a money function (`prisma/functions`) for many items; each succeeds or fails alone. `accepted` is what `alongside`
 * may join, see `charge`.
 */
export const moveStatement = statement(
  shape,
  (call: Sql, { parts, condition }: Alongside) => sql`
  WITH item AS MATERIALIZED (SELECT * FROM ${call}),
  accepted AS (SELECT subject_id, kobo, balance FROM item WHERE outcome = 'moved')${parts}
  SELECT subject_id AS "subjectId", kobo, earlier_kind AS "earlierKind", outcome, balance, daily_limit AS "dailyLimit",
    daily_room AS "dailyRoom", category_limit AS "categoryLimit", category_room AS "categoryRoom", remaining,
    ${condition} AS "isConditionMet"
  FROM item`,
  {
    samples: [sql`charge_message(${itemArrays([])})`, sql`post_airtime(${subjectArrays([])})`].map((call) => [
      call,
      {
        parts: sql`, bought AS (SELECT subject_id, kobo, balance FROM accepted)`,
        condition: sql`item.subject_id IN (SELECT subject_id FROM bought)`,
      },
    ]),
  },
);
