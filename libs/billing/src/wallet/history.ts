import { type LedgerTransactionKind, type Sql, sql } from '@gangan/database';
import type { Ledger } from '../ledger/move.js';

/** The kinds of transaction that change a wallet. */
export const walletKinds = [
  'top_up',
  'charge',
  'refund',
  'reserve',
  'void',
  'adjustment',
] as const satisfies readonly LedgerTransactionKind[];

export type WalletKind = (typeof walletKinds)[number];

export interface WalletChange {
  readonly id: string;
  readonly kind: WalletKind;
  readonly subjectId: string;
  readonly kobo: bigint;
  readonly balance: bigint;
  readonly note: string | null;
  readonly createdAt: Date;
}

export interface HistoryWish {
  readonly organisationId: string;
  readonly limit: number;
  /** Older than this transaction. */
  readonly before?: string | undefined;
  readonly kind?: WalletKind | undefined;
  /** From this moment on. */
  readonly since?: Date | undefined;
  /** Up to this moment, and not including it. */
  readonly until?: Date | undefined;
}

const oldest = '00000000-0000-0000-0000-000000000000';
const newest = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/**
 * The changes of one wallet, newest first: their amounts add up to its balance. As ids are made in the order of time,
 * a moment is a place between two ids, and every page costs the same however far back it lies.
 */
export function historyOf(ledger: Ledger, wish: HistoryWish): Promise<WalletChange[]> {
  const below = [wish.before ?? newest, wish.until ? idAt(wish.until) : newest].sort()[0];
  return ledger.query<WalletChange>(sql`
    SELECT change.id, change.kind, change.subject_id AS "subjectId", entry.amount AS kobo,
      entry.balance_after AS balance, change.note, change.created_at AS "createdAt"
    FROM ledger_account wallet
    CROSS JOIN ledger_transaction change
    CROSS JOIN LATERAL (
      SELECT amount, balance_after FROM ledger_entry
      WHERE transaction_id = change.id AND account_id = wallet.id LIMIT 1) entry
    WHERE wallet.organisation_id = ${wish.organisationId} AND wallet.kind = 'wallet'
      AND change.organisation_id = ${wish.organisationId}
      AND change.id >= ${wish.since ? idAt(wish.since) : oldest}::uuid AND change.id < ${below}::uuid ${ofKind(wish.kind)}
    ORDER BY change.id DESC LIMIT ${wish.limit}`);
}

/** Spelt out, not as a parameter: the index over rare kinds serves only a statement that names one. */
const byKind: Readonly<Record<WalletKind, Sql>> = {
  top_up: sql`AND change.kind = 'top_up'`,
  charge: sql`AND change.kind = 'charge'`,
  refund: sql`AND change.kind = 'refund'`,
  reserve: sql`AND change.kind = 'reserve'`,
  void: sql`AND change.kind = 'void'`,
  adjustment: sql`AND change.kind = 'adjustment'`,
};

const everyKind = sql``;

const ofKind = (kind: WalletKind | undefined): Sql => (kind ? byKind[kind] : everyKind);

/** The first id that can be made at this moment: a UUIDv7 starts with its milliseconds. */
function idAt(moment: Date): string {
  const hex = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-000000000000`;
}
