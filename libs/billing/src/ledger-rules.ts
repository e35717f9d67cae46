import { type Sql, sql, type Statement, statement, t } from '@gangan/database';
import {
  type EntrySlice,
  entryScan,
  type OrganisationSlice,
  organisationScan,
  type TransactionSlice,
  transactionScan,
} from './ledger-slices.js';

const shape = { id: t.uuid, organisationId: t.uuid, detail: t.text };

/** A rule of the ledger, and the statement that finds where a part of the ledger breaks it. */
export interface LedgerRule<Part> {
  readonly name: string;
  readonly broken: string;
  /** A `warning` is about a past fault that no repair changes. */
  readonly level: 'finding' | 'warning';
  readonly violations: Statement<[part: Part], typeof shape>;
}

const rule = <Part>(
  name: string,
  broken: string,
  query: (part: Part) => Sql,
  level: LedgerRule<Part>['level'] = 'finding',
): LedgerRule<Part> => ({ name, broken, level, violations: statement(shape, query) });

const transactionRule = (
  name: string,
  broken: string,
  query: (transactions: Sql) => Sql,
): LedgerRule<TransactionSlice> =>
  rule(name, broken, (slice) => query(sql`(${transactionScan.rowsOf(slice)})`));

/** Of one account: all its entries are added up, in one snapshot. */
export const balanceRule = rule(
  'balance',
  'the stored balance of this account is not the sum of its entries',
  (accountId: string) => sql`
    SELECT account.id, organisation_id AS "organisationId",
      format('%s: stored %s kobo, entries sum to %s', kind, balance, total) AS detail
    FROM ledger_account account
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS total FROM ledger_entry WHERE account_id = account.id) entries
    WHERE account.id = ${accountId}::uuid AND balance <> total`,
);

/** The entry before the first one of a slice is in an earlier slice. */
export const chainRule = rule(
  'chain',
  'the balance after this transaction does not follow from the balance before it: a balance was changed by hand, or the clock of the server stepped back',
  (slice: EntrySlice) => sql`
    SELECT transaction_id AS id, organisation_id AS "organisationId",
      format('%s: %s kobo after %s %s', kind, balance_after, before, amount) AS detail
    FROM (
      SELECT entry.transaction_id, entry.amount, entry.balance_after, account.organisation_id, account.kind,
        coalesce(
          lag(entry.balance_after) OVER (PARTITION BY entry.account_id ORDER BY entry.transaction_id),
          (SELECT earlier.balance_after FROM ledger_entry earlier
           WHERE earlier.account_id = entry.account_id AND earlier.transaction_id < entry.transaction_id
           ORDER BY earlier.transaction_id DESC LIMIT 1),
          0) AS before
      FROM (${entryScan.rowsOf(slice)}) entry JOIN ledger_account account ON account.id = entry.account_id
      WHERE account.balance IS NOT NULL) entry
    WHERE balance_after IS DISTINCT FROM before + amount
    ORDER BY transaction_id`,
  'warning',
);

export const transactionRules: readonly LedgerRule<TransactionSlice>[] = [
  transactionRule(
    'zero_sum',
    'the entries of this transaction do not sum to zero',
    (transactions) => sql`
    SELECT id, organisation_id AS "organisationId", format('%s: sum %s kobo', kind, sum(amount)) AS detail
    FROM ${transactions} moved JOIN ledger_entry ON transaction_id = id
    GROUP BY id, organisation_id, kind HAVING sum(amount) <> 0`,
  ),
  transactionRule(
    'entries',
    'this transaction has no entries',
    (transactions) => sql`
    SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ${transactions} moved
    WHERE NOT EXISTS (SELECT FROM ledger_entry WHERE transaction_id = moved.id)`,
  ),
  transactionRule(
    'organisation',
    'this transaction has an entry on an account of another organisation',
    (transactions) => sql`
    SELECT moved.id, moved.organisation_id AS "organisationId", format('account %s', account.id) AS detail
    FROM ${transactions} moved
    JOIN ledger_entry entry ON entry.transaction_id = moved.id
    JOIN ledger_account account ON account.id = entry.account_id
    WHERE account.organisation_id <> moved.organisation_id`,
  ),
  transactionRule(
    'once',
    'money moved more than once in the same way for this subject',
    (transactions) => sql`
    SELECT moved.subject_id AS id, moved.organisation_id AS "organisationId",
      format('%s × %s', count(*), moved.kind) AS detail
    FROM ${transactions} moved
    JOIN ledger_transaction same ON same.subject_id = moved.subject_id AND same.kind = moved.kind
    GROUP BY moved.id, moved.subject_id, moved.organisation_id, moved.kind
    HAVING count(*) > 1 AND min(same.id::text) = moved.id::text`,
  ),
  transactionRule(
    'settled_once',
    'this subject was both posted and voided',
    (transactions) => sql`
    SELECT DISTINCT moved.subject_id AS id, moved.organisation_id AS "organisationId", 'post and void' AS detail
    FROM ${transactions} moved JOIN ledger_transaction posted ON posted.subject_id = moved.subject_id
    WHERE moved.kind = 'void' AND posted.kind = 'post'`,
  ),
  transactionRule(
    'reserved_first',
    'this transaction settles what was never reserved, or books a loss on what was never voided',
    (transactions) => sql`
    SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ${transactions} later
    WHERE kind IN ('post', 'void', 'loss') AND NOT EXISTS (
      SELECT FROM ledger_transaction first WHERE first.subject_id = later.subject_id
        AND first.kind = CASE later.kind WHEN 'loss' THEN 'void' ELSE 'reserve' END::ledger_transaction_kind)`,
  ),
];

/** Of one organisation: all its reservations are added up, in one snapshot. */
export const reservedSumRule = rule(
  'reserved_sum',
  'what this organisation has reserved is not what its open reservations add up to',
  (organisationId: string) => sql`
    SELECT account.id, account.organisation_id AS "organisationId",
      format('reserved %s kobo, open reservations %s', balance, total) AS detail
    FROM ledger_account account CROSS JOIN LATERAL (
      SELECT coalesce(sum(entry.amount), 0) AS total
      FROM ledger_transaction reservation
      JOIN ledger_entry entry ON entry.transaction_id = reservation.id AND entry.amount > 0
      WHERE reservation.organisation_id = account.organisation_id AND reservation.kind = 'reserve' AND NOT EXISTS (
        SELECT FROM ledger_transaction settled
        WHERE settled.subject_id = reservation.subject_id AND settled.kind IN ('post', 'void'))) open
    WHERE account.organisation_id = ${organisationId}::uuid AND kind = 'reserved' AND balance <> total`,
);

export const accountsRule = rule(
  'accounts',
  'this organisation lacks ledger accounts',
  (slice: OrganisationSlice) => sql`
    SELECT organisation.id, organisation.id AS "organisationId", format('has %s', count(account.id)) AS detail
    FROM (${organisationScan.rowsOf(slice)}) organisation
    LEFT JOIN ledger_account account ON account.organisation_id = organisation.id
    GROUP BY organisation.id HAVING count(account.id) < cardinality(enum_range(NULL::ledger_account_kind))`,
);

/** In the order of a report. */
export const rules: readonly Pick<LedgerRule<never>, 'name' | 'level'>[] = [
  balanceRule,
  ...transactionRules,
  reservedSumRule,
  chainRule,
  accountsRule,
];
