import {
  idBefore,
  LedgerMovementKind,
  type RowOf,
  type SpendCategory,
  sql,
  statement,
  t,
} from '@gangan/database';
import { firstIdAt, maxId } from '@gangan/protocol';
import { messageOfSubject } from './ledger/items.js';
import type { Ledger } from './ledger/move-money.js';

/** What an organisation can spend, and what is reserved for open purchases; in kobo. */
export type Balances = Readonly<Record<'available' | 'reserved', bigint>>;

const readBalances = statement(
  { kind: t.enumOf<'wallet' | 'reserved'>('ledger_account_kind'), balance: t.bigint },
  (organisationId: string) => sql`
    SELECT kind, balance FROM ledger_account WHERE organisation_id = ${organisationId} AND balance IS NOT NULL`,
);

export async function balancesOf(ledger: Ledger, organisationId: string): Promise<Balances> {
  const rows = await ledger.run(readBalances, organisationId);
  const stored = new Map(rows.map(({ kind, balance }) => [kind, balance]));
  const [available, reserved] = [stored.get('wallet'), stored.get('reserved')];
  if (available === undefined || reserved === undefined) {
    throw new Error(`Organisation ${organisationId} has no ledger accounts`);
  }
  return { available, reserved };
}

/** `post` and `loss` do not change the wallet. */
export const walletKinds = Object.values(LedgerMovementKind).filter(
  (kind) => kind !== 'post' && kind !== 'loss',
);

export type WalletKind = (typeof walletKinds)[number];

export interface WalletHistoryQuery {
  readonly organisationId: string;
  readonly limit: number;
  /** Only movements older than this one. */
  readonly before?: string | undefined;
  readonly kind?: WalletKind | undefined;
  /** The first moment of the period. */
  readonly since?: Date | undefined;
  /** The first moment after the period. */
  readonly until?: Date | undefined;
}

export type WalletChange = RowOf<typeof readHistory>;

/**
 * As ids are made in the order of time, a moment is a position between two ids. Each kind is read by itself, because
 * the index holds the ids of one kind in order: a page costs the same however old it is, and however rare its kind.
 */
const readHistory = statement(
  {
    id: t.uuid,
    kind: t.enumOf<WalletKind>('ledger_movement_kind'),
    /** What the money was spent on; null if nothing was spent, and in movements before version 0.2. */
    category: t.nullable(t.enumOf<SpendCategory>('spend_category')),
    subjectId: t.uuid,
    /** The message or OTP that it was for, also if the subject is one of its deliveries. Null if it is no longer stored. */
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
    kobo: t.bigint,
    balance: t.bigint,
    note: t.nullable(t.text),
    /** The reference of a payment or of a correction. */
    reference: t.nullable(t.text),
    createdAt: t.timestamp,
  },
  ({ organisationId, limit, before, kind, since, until }: WalletHistoryQuery) => sql`
    SELECT page.id, page.kind, page.category, page.subject_id AS "subjectId",
      coalesce(message.id, owner.message_id) AS "messageId", coalesce(otp.id, owner.otp_id) AS "otpId",
      CASE page.to_account WHEN 'wallet' THEN page.kobo ELSE -page.kobo END AS kobo, page.wallet_after AS balance, page.note, payment.reference,
      page.created_at AS "createdAt"
    FROM (
      SELECT change.* FROM unnest(${kind ? [kind] : walletKinds}::ledger_movement_kind[]) AS wanted (kind)
      CROSS JOIN LATERAL (
        SELECT * FROM ledger_movement
        WHERE organisation_id = ${organisationId} AND kind = wanted.kind
          AND id >= ${firstIdAt(since ?? new Date(0))}::uuid
          AND ${idBefore(before)} AND ${idBefore(until && firstIdAt(until))}
        ORDER BY id DESC LIMIT ${limit}) change
      ORDER BY change.id DESC LIMIT ${limit}) page
    LEFT JOIN LATERAL (
      SELECT id FROM message WHERE id = ${messageOfSubject(sql`page.subject_id`)} LIMIT 1) message
      ON page.category = 'message'
    LEFT JOIN LATERAL (SELECT id FROM otp WHERE id = page.subject_id LIMIT 1) otp ON page.category = 'otp'
    LEFT JOIN LATERAL (
      SELECT message_id, otp_id FROM delivery WHERE id = page.subject_id LIMIT 1) owner
      ON page.category IN ('message', 'otp')
    LEFT JOIN LATERAL (
      SELECT reference FROM payment_reference WHERE subject_id = page.subject_id LIMIT 1) payment
      ON page.kind IN ('top_up', 'adjustment')
    ORDER BY page.id DESC`,
  { samples: [[{ organisationId: maxId, limit: 1 }]] },
);

/** The changes of one wallet, newest first. All of them together add up to its balance. */
export const historyOf = (ledger: Ledger, query: WalletHistoryQuery): Promise<WalletChange[]> =>
  ledger.run(readHistory, query);
