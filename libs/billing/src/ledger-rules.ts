import { type LedgerMovementKind, type Sql, sql, type Statement, statement, t } from '@gangan/database';
import {
  type MovementSlice,
  movementScan,
  type OrganisationSlice,
  organisationScan,
} from './ledger-slices.js';
import { walletKinds } from './wallet.js';

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

const movementRule = (
  name: string,
  broken: string,
  query: (movements: Sql) => Sql,
): LedgerRule<MovementSlice> => rule(name, broken, (slice) => query(sql`(${movementScan.rowsOf(slice)})`));

/** Adds up all movements of one account, in one snapshot. */
export const balanceRule = rule(
  'balance',
  'the stored balance of this account is not the sum of its movements',
  (accountId: string) => sql`
    SELECT account.id, organisation_id AS "organisationId",
      format('%s: stored %s kobo, movements sum to %s', kind, balance, total) AS detail
    FROM ledger_account account
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE to_account WHEN account.kind THEN kobo ELSE -kobo END), 0) AS total
      FROM ledger_movement moved
      WHERE moved.organisation_id = account.organisation_id AND account.kind IN (from_account, to_account)) movements
    WHERE account.id = ${accountId}::uuid AND balance <> total`,
);

/** The kinds of movements that change each stored balance. */
export const kindsOf: Readonly<Record<StoredKind, readonly LedgerMovementKind[]>> = {
  wallet: walletKinds,
  reserved: ['reserve', 'post', 'void'],
};

/** An account whose balance is stored. */
export type StoredKind = 'wallet' | 'reserved';

/** A query for the balance that the newest movement of `account` states. */
export const newestBalance = sql`
  SELECT CASE account.kind WHEN 'wallet' THEN wallet_after ELSE reserved_after END
  FROM unnest(CASE account.kind WHEN 'wallet' THEN ${kindsOf.wallet}::ledger_movement_kind[]
    ELSE ${kindsOf.reserved}::ledger_movement_kind[] END) AS wanted (kind)
  CROSS JOIN LATERAL (
    SELECT * FROM ledger_movement WHERE organisation_id = account.organisation_id AND kind = wanted.kind
    ORDER BY id DESC LIMIT 1) newest
  ORDER BY newest.id DESC LIMIT 1`;

/** Movements of one account after one of them, up to and including another. */
export interface AccountSlice {
  readonly organisationId: string;
  readonly kind: StoredKind;
  readonly kinds: readonly LedgerMovementKind[];
  readonly after: string;
  readonly last: string;
  readonly maxRows: number;
  /** The balance before the first movement of the slice. */
  readonly before: bigint;
}

/** Selects movements in the order of their ids. They are merged kind by kind, because no index has all of them in order. */
const movementsOf = ({ organisationId, kind, kinds, after, last, maxRows }: AccountSlice): Sql => sql`
  SELECT moved.id, CASE ${kind}::ledger_account_kind WHEN to_account THEN kobo ELSE -kobo END AS amount,
    CASE ${kind}::text WHEN 'wallet' THEN wallet_after ELSE reserved_after END AS balance
  FROM unnest(${kinds}::ledger_movement_kind[]) AS wanted (kind)
  CROSS JOIN LATERAL (
    SELECT * FROM ledger_movement
    WHERE organisation_id = ${organisationId}::uuid AND kind = wanted.kind AND id > ${after}::uuid AND id <= ${last}::uuid
    ORDER BY id LIMIT ${maxRows}) moved
  ORDER BY moved.id LIMIT ${maxRows}`;

/** The last movement of a slice, the balance after it, and the number of movements. */
export const lastMovement = statement(
  { id: t.uuid, balance: t.nullable(t.bigint), rows: t.int },
  (slice: AccountSlice) => sql`
    SELECT id, balance, row_number() OVER (ORDER BY id)::int AS rows FROM (${movementsOf(slice)}) moved
    ORDER BY id DESC LIMIT 1`,
);

export const chainRule = rule(
  'chain',
  'the balance after this movement does not follow from the balance before it: a balance was changed by hand, or the clock of the server stepped back',
  (slice: AccountSlice) => sql`
    SELECT id, ${slice.organisationId}::uuid AS "organisationId",
      format('%s: %s kobo after %s %s', ${slice.kind}::text, balance, before, amount) AS detail
    FROM (
      SELECT *, coalesce(lag(balance) OVER (ORDER BY id), ${slice.before}::bigint) AS before
      FROM (${movementsOf(slice)}) moved) moved
    WHERE balance IS DISTINCT FROM before + amount ORDER BY id`,
  'warning',
);

/** The accounts between which each kind moves money; an adjustment goes either way. */
const accountsOfKinds = sql`(VALUES ('top_up', 'funding', 'wallet'), ('charge', 'wallet', 'revenue'),
  ('refund', 'revenue', 'wallet'), ('reserve', 'wallet', 'reserved'), ('post', 'reserved', 'revenue'),
  ('void', 'reserved', 'wallet'), ('loss', 'loss', 'revenue'), ('adjustment', 'funding', 'wallet'),
  ('adjustment', 'wallet', 'funding'))`;

export const movementRules: readonly LedgerRule<MovementSlice>[] = [
  movementRule(
    'accounts_of_kind',
    'this movement is between other accounts than those of its kind',
    (movements) => sql`
    SELECT id, organisation_id AS "organisationId", format('%s from %s to %s', kind, from_account, to_account) AS detail
    FROM ${movements} moved
    WHERE (kind::text, from_account::text, to_account::text) NOT IN ${accountsOfKinds}`,
  ),
  movementRule(
    'once',
    'money moved more than once in the same way for this subject',
    (movements) => sql`
    SELECT moved.subject_id AS id, moved.organisation_id AS "organisationId",
      format('%s × %s', count(*), moved.kind) AS detail
    FROM ${movements} moved
    JOIN ledger_movement same ON same.subject_id = moved.subject_id AND same.kind = moved.kind
    GROUP BY moved.id, moved.subject_id, moved.organisation_id, moved.kind
    HAVING count(*) > 1 AND min(same.id::text) = moved.id::text`,
  ),
  movementRule(
    'settled_once',
    'this subject was both posted and voided',
    (movements) => sql`
    SELECT DISTINCT moved.subject_id AS id, moved.organisation_id AS "organisationId", 'post and void' AS detail
    FROM ${movements} moved JOIN ledger_movement posted ON posted.subject_id = moved.subject_id
    WHERE moved.kind = 'void' AND posted.kind = 'post'`,
  ),
  movementRule(
    'reserved_first',
    'this movement settles what was never reserved, or books a loss on what was never voided',
    (movements) => sql`
    SELECT id, organisation_id AS "organisationId", kind::text AS detail FROM ${movements} later
    WHERE kind IN ('post', 'void', 'loss') AND NOT EXISTS (
      SELECT FROM ledger_movement first WHERE first.subject_id = later.subject_id
        AND first.kind = CASE later.kind WHEN 'loss' THEN 'void' ELSE 'reserve' END::ledger_movement_kind)`,
  ),
  // What is older than the audit log got its entry with the upgrade.
  movementRule(
    'audited',
    'this top-up or adjustment has no entry with its amount in the audit log, or was not approved as that entry says',
    (movements) => sql`
    SELECT booked.id, booked.organisation_id AS "organisationId", format('%s of %s kobo', kind, kobo) AS detail
    FROM (SELECT *, CASE to_account WHEN 'wallet' THEN kobo ELSE -kobo END AS amount FROM ${movements} moved) booked
    LEFT JOIN (
      SELECT organisation_id, max((after ->> 'before')::timestamptz) AS until FROM audit_log WHERE action = 'audit prune'
      GROUP BY organisation_id) pruned ON pruned.organisation_id = booked.organisation_id
    WHERE kind IN ('top_up', 'adjustment') AND (until IS NULL OR booked.created_at >= until) AND NOT EXISTS (
      SELECT FROM audit_log entry
      LEFT JOIN approval ON approval.id::text = before ->> 'approval' AND approval.state = 'approved'
      WHERE entry.organisation_id = booked.organisation_id AND after ->> 'subject' = subject_id::text
        AND after -> 'naira' = to_jsonb(amount / 100.0) AND (after ->> 'state' IS NULL
          OR after ->> 'state' = 'approved' AND approval.action = booked.kind::text
            AND approval.subject = subject_id::text AND approval.kobo = amount))`,
  ),
];

/** Adds up all reservations of one organisation, in one snapshot. */
export const reservedSumRule = rule(
  'reserved_sum',
  'what this organisation has reserved is not what its open reservations add up to',
  (organisationId: string) => sql`
    SELECT account.id, account.organisation_id AS "organisationId",
      format('reserved %s kobo, open reservations %s', balance, total) AS detail
    FROM ledger_account account CROSS JOIN LATERAL (
      SELECT coalesce(sum(kobo), 0) AS total FROM ledger_movement reservation
      WHERE reservation.organisation_id = account.organisation_id AND reservation.kind = 'reserve' AND NOT EXISTS (
        SELECT FROM ledger_movement settled
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

/** The rules in the order of a report. */
export const rules: readonly Pick<LedgerRule<never>, 'name' | 'level'>[] = [
  balanceRule,
  ...movementRules,
  reservedSumRule,
  chainRule,
  accountsRule,
];
