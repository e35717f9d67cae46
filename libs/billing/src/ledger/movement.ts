import { type LedgerAccountKind, type LedgerTransactionKind, type Sql, sql } from '@gangan/database';
import { withCare } from './with-care.js';

/** Where the money of one kind of transaction comes from and goes to. */
export interface Route {
  readonly kind: LedgerTransactionKind;
  readonly from: LedgerAccountKind;
  readonly to: LedgerAccountKind;
  /** A subject that has a transaction of one of these kinds is not moved again. */
  readonly onceAmong: readonly LedgerTransactionKind[];
}

/** What became of one member. */
export interface Row {
  readonly subjectId: string;
  /** Along the route. Of an earlier member what moved then: less than nothing if it went the other way round. */
  readonly kobo: bigint;
  readonly outcome: 'moved' | 'earlier' | 'unseen' | 'short' | 'nowhere';
  /** The account that pays changed while it was waited for: a twin of the member may have changed it. */
  readonly stale: boolean;
  readonly earlierKind: LedgerTransactionKind | null;
  /** The wallet's, after this member or when it was refused; null where the route does not touch it. */
  readonly balance: bigint | null;
}

/**
 * One statement that moves the money of many members along one route, each deciding alone. Its parts in order:
 * - `given`: what is asked, as a query of (place, subject_id, organisation_id, kobo, note)
 * - `locked`: the stored balances, locked in the order of their ids, so that no two batches wait for each other. A row
 *   that changed while it was waited for is read again: its balance is never stale.
 * - `earlier`: what was moved before, as far as the statement's snapshot sees it
 * - `member`: the others. Of `NOT EXISTS` the planner would expect one row, and join all that follows in loops; and no
 *   place is null.
 * - `walk`: only where an organisation's members do not all fit, takes them one by one
 * - `written`: the transactions. Here the unique keys catch a twin that was committed while this statement waited for
 *   its lock, and which its snapshot does not see; such a member moves nothing and is reported as `unseen`.
 *   The ids are made under the lock: per wallet, their order is the order of its balances.
 * - `moved`: the members whose money moved (and those that cost nothing), with the balances after each
 * - `balanced`: sets the balance, instead of adding to it: the update starts from the row as the snapshot sees it, and
 *   a sum over that would be held against the rule `balance >= 0` before the row is read again. It must take its values
 *   from one materialized part: Postgres reads a row again only together with such a part, and loses the update of a
 *   row that is joined to a UNION.
 */
export const movement = (
  { kind, from, to, onceAmong }: Route,
  organisations: readonly string[],
  given: Sql,
  alongside: Sql,
): Sql => sql`
  WITH RECURSIVE given AS MATERIALIZED (${given}),
  locked AS MATERIALIZED (
    SELECT id, balance, xmin AS version FROM ledger_account
    WHERE organisation_id = ANY (${organisations}::uuid[]) AND balance IS NOT NULL
      AND kind IN (${from}::ledger_account_kind, ${to}::ledger_account_kind)
      AND ${withCare}
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
    SELECT given.place, found.id, found.kind FROM given CROSS JOIN LATERAL (
      SELECT id, kind FROM ledger_transaction
      WHERE subject_id = given.subject_id AND kind = ANY (${onceAmong}::ledger_transaction_kind[]) LIMIT 1) found
  ), member AS MATERIALIZED (
    SELECT place, subject_id, organisation_id, kobo, note, from_id, from_balance, to_id, to_balance,
      row_number() OVER (PARTITION BY organisation_id ORDER BY place) AS nth,
      sum(kobo) OVER (PARTITION BY organisation_id) AS total
    FROM given JOIN account USING (organisation_id)
    WHERE place NOT IN (SELECT place FROM earlier)
  ), walk (organisation_id, nth, fits, remaining) AS (
    SELECT organisation_id, 0::bigint, false, from_balance FROM member WHERE nth = 1 AND total > from_balance
    UNION ALL
    SELECT member.organisation_id, member.nth, kobo <= remaining,
      remaining - CASE WHEN kobo <= remaining THEN kobo ELSE 0 END
    FROM walk JOIN member ON member.organisation_id = walk.organisation_id AND member.nth = walk.nth + 1
  ), affordable AS MATERIALIZED (
    SELECT place, subject_id, organisation_id, kobo, note, from_id, from_balance, to_id, to_balance FROM member
    WHERE from_balance IS NULL OR total <= from_balance OR EXISTS (
      SELECT FROM walk WHERE fits AND walk.organisation_id = member.organisation_id AND walk.nth = member.nth)
  ), written AS (
    INSERT INTO ledger_transaction (id, organisation_id, kind, subject_id, note, created_at)
    SELECT id, organisation_id, ${kind}::ledger_transaction_kind, subject_id, note, uuid_extract_timestamp(id)
    FROM (SELECT uuidv7() AS id, organisation_id, subject_id, note FROM affordable WHERE kobo > 0 ORDER BY place) fresh
    ON CONFLICT DO NOTHING RETURNING id, subject_id
  ), moved AS MATERIALIZED (
    SELECT place, subject_id, organisation_id, kobo, written.id AS transaction_id, from_id, to_id,
      (from_balance - sum(kobo) OVER so_far)::bigint AS from_after,
      (to_balance + sum(kobo) OVER so_far)::bigint AS to_after
    FROM affordable LEFT JOIN written USING (subject_id)
    WHERE kobo = 0 OR written.id IS NOT NULL
    WINDOW so_far AS (PARTITION BY organisation_id ORDER BY place)
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
  )${alongside}
  SELECT given.subject_id AS "subjectId",
    CASE WHEN earlier.place IS NULL THEN given.kobo ELSE coalesce((
      SELECT amount FROM ledger_entry WHERE transaction_id = earlier.id AND account_id = account.to_id), 0) END AS kobo,
    earlier.kind AS "earlierKind", account.stale,
    CASE WHEN moved.place IS NOT NULL THEN 'moved'
         WHEN earlier.place IS NOT NULL THEN 'earlier'
         WHEN affordable.place IS NOT NULL THEN 'unseen'
         WHEN member.place IS NOT NULL THEN 'short' ELSE 'nowhere' END AS outcome,
    CASE WHEN moved.place IS NOT NULL THEN
           CASE 'wallet' WHEN ${from}::text THEN moved.from_after WHEN ${to}::text THEN moved.to_after END
         WHEN earlier.place IS NOT NULL THEN (
           SELECT balance_after FROM ledger_entry WHERE transaction_id = earlier.id
             AND account_id = CASE 'wallet' WHEN ${from}::text THEN account.from_id WHEN ${to}::text THEN account.to_id END)
         ELSE (SELECT remaining FROM walk
               WHERE walk.organisation_id = member.organisation_id AND walk.nth = member.nth) END AS balance
  FROM given LEFT JOIN account USING (organisation_id) LEFT JOIN moved USING (place)
    LEFT JOIN earlier USING (place) LEFT JOIN affordable USING (place) LEFT JOIN member USING (place)`;
