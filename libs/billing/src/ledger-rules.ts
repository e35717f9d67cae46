import { type Sql, sql, type Statement, statement, t } from '@gangan/database';

const shape = { id: t.uuid, organisationId: t.uuid, detail: t.text };

/** A rule that must hold for the whole ledger, and the statement that finds where it does not. */
export interface LedgerRule {
  readonly name: string;
  readonly broken: string;
  /** A `warning` is about a past fault that no repair changes. */
  readonly level: 'finding' | 'warning';
  readonly violations: Statement<[], typeof shape>;
}

function rule(name: string, broken: string, query: Sql, level: LedgerRule['level'] = 'finding'): LedgerRule {
  // At most 100: a rule that is broken once is often broken everywhere.
  const build = () =>
    sql`SELECT id, "organisationId", detail FROM (${query}) violation ORDER BY id LIMIT 100`;
  return { name, broken, level, violations: statement(shape, build) };
}

export const rules: readonly LedgerRule[] = [
  rule(
    'balance',
    'the stored balance of this account is not the sum of its entries',
    sql`
    SELECT account.id, organisation_id AS "organisationId",
      format('%s: stored %s kobo, entries sum to %s', kind, balance, coalesce(total, 0)) AS detail
    FROM ledger_account account
    LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry GROUP BY account_id) entries
      ON account_id = account.id
    WHERE balance <> coalesce(total, 0)`,
  ),
  rule(
    'zero_sum',
    'the entries of this transaction do not sum to zero',
    sql`
    SELECT id, organisation_id AS "organisationId", format('%s: sum %s kobo', kind, total) AS detail
    FROM (SELECT transaction_id, sum(amount) AS total FROM ledger_entry GROUP BY transaction_id
          HAVING sum(amount) <> 0) unbalanced
    JOIN ledger_transaction ON id = transaction_id`,
  ),
  rule(
    'entries',
    'this transaction has no entries',
    sql`
    SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ledger_transaction
    WHERE NOT EXISTS (SELECT FROM ledger_entry WHERE transaction_id = ledger_transaction.id)`,
  ),
  rule(
    'organisation',
    'this transaction has an entry on an account of another organisation',
    sql`
    SELECT moved.id, moved.organisation_id AS "organisationId", format('account %s', account.id) AS detail
    FROM ledger_entry entry
    JOIN ledger_transaction moved ON moved.id = entry.transaction_id
    JOIN ledger_account account ON account.id = entry.account_id
    WHERE account.organisation_id <> moved.organisation_id`,
  ),
  rule(
    'once',
    'money moved more than once in the same way for this subject',
    sql`
    SELECT subject_id AS id, min(organisation_id::text)::uuid AS "organisationId",
      format('%s × %s', count(*), kind) AS detail
    FROM ledger_transaction GROUP BY subject_id, kind HAVING count(*) > 1`,
  ),
  rule(
    'settled_once',
    'this subject was both posted and voided',
    sql`
    SELECT subject_id AS id, min(organisation_id::text)::uuid AS "organisationId", 'post and void' AS detail
    FROM ledger_transaction WHERE kind IN ('post', 'void')
    GROUP BY subject_id HAVING count(*) > 1`,
  ),
  rule(
    'reserved_first',
    'this transaction settles what was never reserved, or books a loss on what was never voided',
    sql`
    SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ledger_transaction later
    WHERE kind IN ('post', 'void', 'loss') AND NOT EXISTS (
      SELECT FROM ledger_transaction first WHERE first.subject_id = later.subject_id
        AND first.kind = CASE later.kind WHEN 'loss' THEN 'void' ELSE 'reserve' END::ledger_transaction_kind)`,
  ),
  rule(
    'reserved_sum',
    'what this organisation has reserved is not what its open reservations add up to',
    sql`
    SELECT account.id, account.organisation_id AS "organisationId",
      format('reserved %s kobo, open reservations %s', balance, coalesce(total, 0)) AS detail
    FROM ledger_account account
    LEFT JOIN (
      SELECT reservation.organisation_id, sum(entry.amount) AS total
      FROM ledger_transaction reservation
      JOIN ledger_entry entry ON entry.transaction_id = reservation.id AND entry.amount > 0
      WHERE reservation.kind = 'reserve' AND NOT EXISTS (
        SELECT FROM ledger_transaction settled
        WHERE settled.subject_id = reservation.subject_id AND settled.kind IN ('post', 'void'))
      GROUP BY reservation.organisation_id) open ON open.organisation_id = account.organisation_id
    WHERE kind = 'reserved' AND balance <> coalesce(total, 0)`,
  ),
  rule(
    'chain',
    'the balance after this transaction does not follow from the balance before it: a balance was changed by hand, or the clock of the server stepped back',
    sql`
    SELECT transaction_id AS id, organisation_id AS "organisationId",
      format('%s: %s kobo after %s %s', kind, balance_after, before, amount) AS detail
    FROM (SELECT transaction_id, account_id, amount, balance_after,
            coalesce(lag(balance_after) OVER (PARTITION BY account_id ORDER BY transaction_id), 0) AS before
          FROM ledger_entry) entry
    JOIN ledger_account account ON account.id = account_id
    WHERE account.balance IS NOT NULL AND balance_after IS DISTINCT FROM before + amount`,
    'warning',
  ),
  rule(
    'accounts',
    'this organisation lacks ledger accounts',
    sql`
    SELECT organisation.id, organisation.id AS "organisationId", format('has %s', count(account.id)) AS detail
    FROM organisation LEFT JOIN ledger_account account ON account.organisation_id = organisation.id
    GROUP BY organisation.id HAVING count(account.id) < cardinality(enum_range(NULL::ledger_account_kind))`,
  ),
];
