import { type Sql, sql } from '@gangan/database';

/** One thing that must hold. Its statement finds where it does not: rows of (id, "organisationId", detail). */
export interface Rule {
  readonly name: string;
  readonly broken: string;
  /** It tells of something past, which no repair changes: worth a look once, and no alarm every night. */
  readonly warns?: true;
  readonly exceptions: Sql;
}

/** What an operator reads at most of one rule: who breaks it once often breaks it everywhere. */
const most = sql`LIMIT 100`;

export const rules: readonly Rule[] = [
  {
    name: 'balance',
    broken: 'the stored balance of this account is not the sum of its entries',
    exceptions: sql`
      SELECT account.id, organisation_id AS "organisationId",
        format('%s: stored %s kobo, entries sum to %s', kind, balance, coalesce(total, 0)) AS detail
      FROM ledger_account account
      LEFT JOIN (SELECT account_id, sum(amount) AS total FROM ledger_entry GROUP BY account_id) entries
        ON account_id = account.id
      WHERE balance <> coalesce(total, 0) ORDER BY account.id ${most}`,
  },
  {
    name: 'zero_sum',
    broken: 'the entries of this transaction do not sum to zero',
    exceptions: sql`
      SELECT id, organisation_id AS "organisationId", format('%s: sum %s kobo', kind, total) AS detail
      FROM (SELECT transaction_id, sum(amount) AS total FROM ledger_entry GROUP BY transaction_id
            HAVING sum(amount) <> 0) unbalanced
      JOIN ledger_transaction ON id = transaction_id ORDER BY id ${most}`,
  },
  {
    name: 'entries',
    broken: 'this transaction has no entries',
    exceptions: sql`
      SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ledger_transaction
      WHERE NOT EXISTS (SELECT FROM ledger_entry WHERE transaction_id = ledger_transaction.id) ORDER BY id ${most}`,
  },
  {
    name: 'organisation',
    broken: 'this transaction has an entry on an account of another organisation',
    exceptions: sql`
      SELECT moved.id, moved.organisation_id AS "organisationId", format('account %s', account.id) AS detail
      FROM ledger_entry entry
      JOIN ledger_transaction moved ON moved.id = entry.transaction_id
      JOIN ledger_account account ON account.id = entry.account_id
      WHERE account.organisation_id <> moved.organisation_id ORDER BY moved.id ${most}`,
  },
  {
    name: 'once',
    broken: 'money moved more than once in the same way for this subject',
    exceptions: sql`
      SELECT subject_id AS id, min(organisation_id::text) AS "organisationId",
        format('%s × %s', count(*), kind) AS detail
      FROM ledger_transaction GROUP BY subject_id, kind HAVING count(*) > 1 ORDER BY subject_id ${most}`,
  },
  {
    name: 'settled_once',
    broken: 'this subject was both posted and voided',
    exceptions: sql`
      SELECT subject_id AS id, min(organisation_id::text) AS "organisationId", 'post and void' AS detail
      FROM ledger_transaction WHERE kind IN ('post', 'void')
      GROUP BY subject_id HAVING count(*) > 1 ORDER BY subject_id ${most}`,
  },
  {
    name: 'reserved_first',
    broken: 'this transaction settles what was never reserved, or books a loss on what was never voided',
    exceptions: sql`
      SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ledger_transaction later
      WHERE kind IN ('post', 'void', 'loss') AND NOT EXISTS (
        SELECT FROM ledger_transaction first WHERE first.subject_id = later.subject_id
          AND first.kind = CASE later.kind WHEN 'loss' THEN 'void' ELSE 'reserve' END::ledger_transaction_kind)
      ORDER BY id ${most}`,
  },
  {
    name: 'reserved_sum',
    broken: 'what this organisation has reserved is not what its open reservations add up to',
    exceptions: sql`
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
      WHERE kind = 'reserved' AND balance <> coalesce(total, 0) ORDER BY account.id ${most}`,
  },
  {
    name: 'chain',
    broken:
      'the balance after this transaction does not follow from the balance before it: a balance was changed by hand, or the clock of the server stepped back',
    warns: true,
    exceptions: sql`
      SELECT transaction_id AS id, organisation_id AS "organisationId",
        format('%s: %s kobo after %s %s', kind, balance_after, before, amount) AS detail
      FROM (SELECT transaction_id, account_id, amount, balance_after,
              coalesce(lag(balance_after) OVER (PARTITION BY account_id ORDER BY transaction_id), 0) AS before
            FROM ledger_entry) entry
      JOIN ledger_account account ON account.id = account_id
      WHERE account.balance IS NOT NULL AND balance_after IS DISTINCT FROM before + amount
      ORDER BY transaction_id ${most}`,
  },
  {
    name: 'accounts',
    broken: 'this organisation lacks ledger accounts',
    exceptions: sql`
      SELECT organisation.id, organisation.id AS "organisationId", format('has %s', count(account.id)) AS detail
      FROM organisation LEFT JOIN ledger_account account ON account.organisation_id = organisation.id
      GROUP BY organisation.id HAVING count(account.id) < cardinality(enum_range(NULL::ledger_account_kind))
      ORDER BY organisation.id ${most}`,
  },
];
