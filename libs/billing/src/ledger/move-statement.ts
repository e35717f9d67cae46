import {
  type LedgerAccountKind,
  type LedgerTransactionKind,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { rooms, type Spending, unlimited } from './daily-limits.js';
import { givenAmounts, refundedAmounts, reservedAmounts, voidedAmounts } from './items.js';
import { counters, countersAfter, countersOfDay, eachCounter, noCounters } from './spend-counters.js';
import { lockTimeout } from './wallet-locks.js';

/** Where the money of one kind of transaction comes from and goes to. */
export interface MoneyFlow {
  readonly kind: LedgerTransactionKind;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  /** A subject that has a transaction of one of these kinds is not moved again. */
  readonly onceAmong: readonly LedgerTransactionKind[];
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
  earlierKind: t.nullable(t.enumOf<LedgerTransactionKind>('ledger_transaction_kind')),
  /** The paying account changed while the statement waited for its lock; a duplicate may have changed it. */
  stale: t.bool,
  /** `earlier`: moved before. `duplicate`: one was committed that the snapshot of the statement does not show. */
  outcome: t.textOf<'moved' | 'earlier' | 'duplicate' | 'insufficient' | 'over_limit' | 'no_accounts'>(),
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

/** The day on whose limits an item counts. A refund counts on the day of its charge, and only while that day lasts. */
function countedOn(to: LedgerAccountKind, spending: Spending | undefined): Sql {
  if (spending) return sql`day`;
  return to === 'wallet' ? sql`CASE WHEN item.spent_on = day THEN day END` : sql`NULL::date`;
}

/**
 * Moves the money of many items along one flow; each item succeeds or fails alone. The parts in order:
 * - `item`: the request, a query of (position, subject_id, organisation_id, kobo, note) and, for a refund, the category
 *   and the day of what it refunds
 * - `locked`: the stored balances, locked in the order of their ids, so that two batches never deadlock. A row that
 *   changed while the statement waited is read again: its balance is never stale.
 * - `wallet`: the counters of the day (UTC), the limits and what they leave. A clock that steps back does not begin a day
 *   again.
 * - `earlier`: what was moved before, as far as the snapshot of the statement shows it
 * - `pending`: the other items. With `NOT EXISTS` instead of `NOT IN` the planner would expect one row and join all
 *   that follows in loops; no position is null. `budget` is what balance and limits allow.
 * - `running_total`: takes the items one by one, only for organisations whose items do not all fit
 * - `decided`: whether each item is affordable; if not, what was left of the budget and of the balance
 * - `written`: the transactions. The unique keys catch a duplicate that was committed while this statement waited for
 *   its lock and that its snapshot does not show; such an item moves nothing. The ids are made under the lock: per
 *   wallet, their order is the order of its balances.
 * - `moved`: the items whose money moved (and those of 0), with the balances after each
 * - `balanced`: sets the balance instead of adding to it. The update starts from the row as the snapshot shows it, and
 *   a sum over that would be checked against `balance >= 0` before the row is read again. It must take its values from
 *   one materialized part: Postgres reads a row again only together with such a part, and loses the update of a row
 *   that is joined to a UNION.
 * - `accepted`: what `alongside` may join, see `charge`
 */
export const moveStatement = statement(
  shape,
  (
    { kind, from, to, onceAmong, spending }: MoneyFlow,
    organisations: readonly string[],
    items: Sql,
    { parts, condition }: Alongside,
  ) => sql`
  WITH RECURSIVE item AS MATERIALIZED (${items}),
  locked AS MATERIALIZED (
    SELECT id, organisation_id, kind, balance, spent_on, ${counters}, xmin AS version FROM ledger_account
    WHERE organisation_id = ANY (${organisations}::uuid[]) AND balance IS NOT NULL
      AND kind IN (${from}::ledger_account_kind, ${to}::ledger_account_kind)
      AND ${lockTimeout}
    ORDER BY id FOR UPDATE
  ), wallet AS MATERIALIZED (
    SELECT counted.*, room.*
    FROM (
      SELECT organisation_id, day, ${countersOfDay}
      FROM locked CROSS JOIN LATERAL greatest(spent_on, (clock_timestamp() AT TIME ZONE 'UTC')::date) AS day
      WHERE kind = 'wallet') counted
    CROSS JOIN LATERAL (${rooms(spending)}) room
  ), accounts AS MATERIALIZED (
    SELECT organisation.id AS organisation_id, source.id AS from_id, target.id AS to_id,
      (SELECT balance FROM locked WHERE id = source.id) AS from_balance,
      EXISTS (SELECT FROM locked WHERE id = source.id AND version <> source.version) AS stale,
      (SELECT balance FROM locked WHERE id = target.id) AS to_balance,
      day, daily_limit, daily_room, category_limit, category_room
    FROM unnest(${organisations}::uuid[]) AS organisation (id)
    CROSS JOIN LATERAL (
      SELECT id, xmin AS version FROM ledger_account
      WHERE organisation_id = organisation.id AND kind = ${from}::ledger_account_kind LIMIT 1) source
    CROSS JOIN LATERAL (
      SELECT id FROM ledger_account
      WHERE organisation_id = organisation.id AND kind = ${to}::ledger_account_kind LIMIT 1) target
    LEFT JOIN wallet ON wallet.organisation_id = organisation.id
  ), earlier AS MATERIALIZED (
    SELECT item.position, found.id, found.kind FROM item CROSS JOIN LATERAL (
      SELECT id, kind FROM ledger_transaction
      WHERE subject_id = item.subject_id AND kind = ANY (${onceAmong}::ledger_transaction_kind[]) LIMIT 1) found
  ), pending AS MATERIALIZED (
    SELECT position, subject_id, organisation_id, kobo, note, from_id, from_balance, to_id, to_balance,
      ${spending ? sql`${spending.category}::spend_category` : sql`item.category`} AS category,
      ${countedOn(to, spending)} AS spent_on,
      CASE WHEN from_balance IS NOT NULL THEN greatest(0, least(from_balance, daily_room, category_room)) END AS budget,
      row_number() OVER (PARTITION BY organisation_id ORDER BY position) AS nth,
      sum(kobo) OVER (PARTITION BY organisation_id) AS total
    FROM item JOIN accounts AS account USING (organisation_id)
    WHERE position NOT IN (SELECT position FROM earlier)
  ), running_total (organisation_id, nth, is_affordable, remaining) AS (
    SELECT organisation_id, 0::bigint, false, budget FROM pending WHERE nth = 1 AND total > budget
    UNION ALL
    SELECT pending.organisation_id, pending.nth, kobo <= remaining,
      remaining - CASE WHEN kobo <= remaining THEN kobo ELSE 0 END
    FROM running_total AS previous JOIN pending
      ON pending.organisation_id = previous.organisation_id AND pending.nth = previous.nth + 1
  ), decided AS MATERIALIZED (
    SELECT pending.*, remaining, from_balance - budget + remaining AS unspent,
      from_balance IS NULL OR total <= budget OR coalesce(is_affordable, false) AS is_affordable
    FROM pending LEFT JOIN running_total USING (organisation_id, nth)
  ), written AS (
    INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note, category, spent_on, created_at)
    SELECT id, organisation_id, ${kind}::ledger_transaction_kind, subject_id, note, category, spent_on,
      uuid_extract_timestamp(id)
    FROM (SELECT uuidv7() AS id, organisation_id, subject_id, note, category, spent_on
          FROM decided WHERE is_affordable AND kobo > 0 ORDER BY position) fresh
    ON CONFLICT DO NOTHING RETURNING id, subject_id
  ), moved AS MATERIALIZED (
    SELECT position, subject_id, organisation_id, kobo, category, spent_on, written.id AS transaction_id, from_id, to_id,
      (from_balance - sum(kobo) OVER so_far)::bigint AS from_after,
      (to_balance + sum(kobo) OVER so_far)::bigint AS to_after
    FROM decided LEFT JOIN written USING (subject_id)
    WHERE is_affordable AND (kobo = 0 OR written.id IS NOT NULL)
    WINDOW so_far AS (PARTITION BY organisation_id ORDER BY position)
  ), change AS MATERIALIZED (
    SELECT from_id AS id, min(from_after) AS balance, ${from === 'wallet' ? countersAfter(1n) : noCounters}
    FROM moved ${from === 'wallet' ? sql`JOIN wallet USING (organisation_id)` : sql``} WHERE kobo > 0 GROUP BY from_id
    UNION ALL
    SELECT to_id, max(to_after), ${to === 'wallet' ? countersAfter(-1n) : noCounters}
    FROM moved ${to === 'wallet' ? sql`JOIN wallet USING (organisation_id)` : sql``} WHERE kobo > 0 GROUP BY to_id
  ), balanced AS (
    UPDATE ledger_account SET balance = change.balance, spent_on = change.spent_on,
      ${eachCounter((column) => sql`${column} = change.${column}`)}
    FROM change
    WHERE ledger_account.id = change.id AND change.balance IS NOT NULL
  ), entered AS (
    INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
    SELECT transaction_id, from_id, -kobo, from_after FROM moved WHERE kobo > 0
    UNION ALL SELECT transaction_id, to_id, kobo, to_after FROM moved WHERE kobo > 0
  ), accepted AS (SELECT subject_id, kobo, from_after AS balance FROM moved)${parts}
  SELECT item.subject_id AS "subjectId",
    CASE WHEN earlier.position IS NULL THEN item.kobo ELSE coalesce((
      SELECT amount FROM ledger_entry WHERE transaction_id = earlier.id AND account_id = account.to_id), 0) END AS kobo,
    earlier.kind AS "earlierKind", account.stale,
    CASE WHEN moved.position IS NOT NULL THEN 'moved'
         WHEN earlier.position IS NOT NULL THEN 'earlier'
         WHEN decided.is_affordable THEN 'duplicate'
         WHEN item.kobo <= decided.unspent THEN 'over_limit'
         WHEN decided.position IS NOT NULL THEN 'insufficient' ELSE 'no_accounts' END AS outcome,
    CASE WHEN moved.position IS NOT NULL THEN
           CASE 'wallet' WHEN ${from}::text THEN moved.from_after WHEN ${to}::text THEN moved.to_after END
         WHEN earlier.position IS NOT NULL THEN (
           SELECT balance_after FROM ledger_entry WHERE transaction_id = earlier.id
             AND account_id = CASE 'wallet' WHEN ${from}::text THEN account.from_id WHEN ${to}::text THEN account.to_id END)
         ELSE decided.unspent END AS balance,
    account.daily_limit AS "dailyLimit", account.daily_room AS "dailyRoom", account.category_limit AS "categoryLimit",
    account.category_room AS "categoryRoom", decided.remaining, ${condition} AS "isConditionMet"
  FROM item LEFT JOIN accounts AS account USING (organisation_id) LEFT JOIN moved USING (position)
    LEFT JOIN earlier USING (position) LEFT JOIN decided USING (position)`,
  {
    samples: [
      [anyFlow, givenAmounts([])] as const,
      [{ ...anyFlow, spending: unlimited('message') }, givenAmounts([])] as const,
      [{ ...anyFlow, from: 'revenue', to: 'wallet' }, refundedAmounts([])] as const,
      [anyFlow, reservedAmounts([])] as const,
      [anyFlow, voidedAmounts([])] as const,
    ].map(([flow, items]) => [
      flow,
      [],
      items,
      {
        parts: sql`, bought AS (SELECT subject_id, kobo, balance FROM accepted)`,
        condition: sql`item.subject_id IN (SELECT subject_id FROM bought)`,
      },
    ]),
  },
);
