import {
  type LedgerAccountKind,
  type LedgerTransactionKind,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { givenAmounts, reservedAmounts, voidedAmounts } from './items.js';
import { lockTimeout } from './wallet-locks.js';

/** Where the money of one kind of transaction comes from and goes to. */
export interface MoneyFlow {
  readonly kind: LedgerTransactionKind;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  /** A subject that has a transaction of one of these kinds is not moved again. */
  readonly onceAmong: readonly LedgerTransactionKind[];
}

export type MoveRow = RowOf<typeof moveStatement>;

const shape = {
  subjectId: t.uuid,
  /** Along the flow. For an earlier item the amount that moved then; negative if it moved the other way. */
  kobo: t.bigint,
  earlierKind: t.nullable(t.enumOf<LedgerTransactionKind>('ledger_transaction_kind')),
  /** The paying account changed while the statement waited for its lock; a duplicate may have changed it. */
  stale: t.bool,
  /** `earlier`: moved before. `duplicate`: one was committed that the snapshot of the statement does not show. */
  outcome: t.textOf<'moved' | 'earlier' | 'duplicate' | 'insufficient' | 'no_accounts'>(),
  /** Of the wallet, after this item or when it was refused; null if the flow does not touch the wallet. */
  balance: t.nullable(t.bigint),
};

const anyFlow: MoneyFlow = { kind: 'charge', from: 'wallet', to: 'revenue', onceAmong: ['charge'] };

/**
 * Moves the money of many items along one flow; each item succeeds or fails alone. The parts in order:
 * - `item`: the request, a query of (position, subject_id, organisation_id, kobo, note)
 * - `locked`: the stored balances, locked in the order of their ids, so that two batches never deadlock. A row that
 *   changed while the statement waited is read again: its balance is never stale.
 * - `earlier`: what was moved before, as far as the snapshot of the statement shows it
 * - `pending`: the other items. With `NOT EXISTS` instead of `NOT IN` the planner would expect one row and join all
 *   that follows in loops; no position is null.
 * - `running_total`: takes the items one by one, only for organisations whose items do not all fit
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
    { kind, from, to, onceAmong }: MoneyFlow,
    organisations: readonly string[],
    items: Sql,
    alongside: Sql,
  ) => sql`
  WITH RECURSIVE item AS MATERIALIZED (${items}),
  locked AS MATERIALIZED (
    SELECT id, balance, xmin AS version FROM ledger_account
    WHERE organisation_id = ANY (${organisations}::uuid[]) AND balance IS NOT NULL
      AND kind IN (${from}::ledger_account_kind, ${to}::ledger_account_kind)
      AND ${lockTimeout}
    ORDER BY id FOR UPDATE
  ), account AS MATERIALIZED (
    SELECT organisation.id AS organisation_id, source.id AS from_id, target.id AS to_id,
      (SELECT balance FROM locked WHERE id = source.id) AS from_balance,
      EXISTS (SELECT FROM locked WHERE id = source.id AND version <> source.version) AS stale,
      (SELECT balance FROM locked WHERE id = target.id) AS to_balance
    FROM unnest(${organisations}::uuid[]) AS organisation (id)
    CROSS JOIN LATERAL (
      SELECT id, xmin AS version FROM ledger_account
      WHERE organisation_id = organisation.id AND kind = ${from}::ledger_account_kind LIMIT 1) source
    CROSS JOIN LATERAL (
      SELECT id FROM ledger_account
      WHERE organisation_id = organisation.id AND kind = ${to}::ledger_account_kind LIMIT 1) target
  ), earlier AS MATERIALIZED (
    SELECT item.position, found.id, found.kind FROM item CROSS JOIN LATERAL (
      SELECT id, kind FROM ledger_transaction
      WHERE subject_id = item.subject_id AND kind = ANY (${onceAmong}::ledger_transaction_kind[]) LIMIT 1) found
  ), pending AS MATERIALIZED (
    SELECT position, subject_id, organisation_id, kobo, note, from_id, from_balance, to_id, to_balance,
      row_number() OVER (PARTITION BY organisation_id ORDER BY position) AS nth,
      sum(kobo) OVER (PARTITION BY organisation_id) AS total
    FROM item JOIN account USING (organisation_id)
    WHERE position NOT IN (SELECT position FROM earlier)
  ), running_total (organisation_id, nth, is_affordable, remaining) AS (
    SELECT organisation_id, 0::bigint, false, from_balance FROM pending WHERE nth = 1 AND total > from_balance
    UNION ALL
    SELECT pending.organisation_id, pending.nth, kobo <= remaining,
      remaining - CASE WHEN kobo <= remaining THEN kobo ELSE 0 END
    FROM running_total AS previous JOIN pending
      ON pending.organisation_id = previous.organisation_id AND pending.nth = previous.nth + 1
  ), affordable AS MATERIALIZED (
    SELECT position, subject_id, organisation_id, kobo, note, from_id, from_balance, to_id, to_balance FROM pending
    WHERE from_balance IS NULL OR total <= from_balance OR EXISTS (
      SELECT FROM running_total AS decided
      WHERE is_affordable AND decided.organisation_id = pending.organisation_id AND decided.nth = pending.nth)
  ), written AS (
    INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note, created_at)
    SELECT id, organisation_id, ${kind}::ledger_transaction_kind, subject_id, note, uuid_extract_timestamp(id)
    FROM (SELECT uuidv7() AS id, organisation_id, subject_id, note FROM affordable WHERE kobo > 0 ORDER BY position) fresh
    ON CONFLICT DO NOTHING RETURNING id, subject_id
  ), moved AS MATERIALIZED (
    SELECT position, subject_id, organisation_id, kobo, written.id AS transaction_id, from_id, to_id,
      (from_balance - sum(kobo) OVER so_far)::bigint AS from_after,
      (to_balance + sum(kobo) OVER so_far)::bigint AS to_after
    FROM affordable LEFT JOIN written USING (subject_id)
    WHERE kobo = 0 OR written.id IS NOT NULL
    WINDOW so_far AS (PARTITION BY organisation_id ORDER BY position)
  ), change AS MATERIALIZED (
    SELECT from_id AS id, min(from_after) AS balance FROM moved WHERE kobo > 0 GROUP BY from_id
    UNION ALL SELECT to_id, max(to_after) FROM moved WHERE kobo > 0 GROUP BY to_id
  ), balanced AS (
    UPDATE ledger_account SET balance = change.balance FROM change
    WHERE ledger_account.id = change.id AND change.balance IS NOT NULL
  ), entered AS (
    INSERT INTO ledger_entry (transaction_id, account_id, amount, balance_after)
    SELECT transaction_id, from_id, -kobo, from_after FROM moved WHERE kobo > 0
    UNION ALL SELECT transaction_id, to_id, kobo, to_after FROM moved WHERE kobo > 0
  ), accepted AS (SELECT subject_id, kobo, from_after AS balance FROM moved)${alongside}
  SELECT item.subject_id AS "subjectId",
    CASE WHEN earlier.position IS NULL THEN item.kobo ELSE coalesce((
      SELECT amount FROM ledger_entry WHERE transaction_id = earlier.id AND account_id = account.to_id), 0) END AS kobo,
    earlier.kind AS "earlierKind", account.stale,
    CASE WHEN moved.position IS NOT NULL THEN 'moved'
         WHEN earlier.position IS NOT NULL THEN 'earlier'
         WHEN affordable.position IS NOT NULL THEN 'duplicate'
         WHEN pending.position IS NOT NULL THEN 'insufficient' ELSE 'no_accounts' END AS outcome,
    CASE WHEN moved.position IS NOT NULL THEN
           CASE 'wallet' WHEN ${from}::text THEN moved.from_after WHEN ${to}::text THEN moved.to_after END
         WHEN earlier.position IS NOT NULL THEN (
           SELECT balance_after FROM ledger_entry WHERE transaction_id = earlier.id
             AND account_id = CASE 'wallet' WHEN ${from}::text THEN account.from_id WHEN ${to}::text THEN account.to_id END)
         ELSE (SELECT remaining FROM running_total AS decided
               WHERE decided.organisation_id = pending.organisation_id AND decided.nth = pending.nth) END AS balance
  FROM item LEFT JOIN account USING (organisation_id) LEFT JOIN moved USING (position)
    LEFT JOIN earlier USING (position) LEFT JOIN affordable USING (position) LEFT JOIN pending USING (position)`,
  {
    samples: [givenAmounts([]), reservedAmounts([]), voidedAmounts([])].map((items) => [
      anyFlow,
      [],
      items,
      sql`, bought AS (SELECT subject_id, kobo, balance FROM accepted)`,
    ]),
  },
);
