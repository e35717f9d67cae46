import { LedgerTransactionKind, sql } from '@gangan/database';
import { maxId, firstIdAt } from '@gangan/protocol';
import type { Ledger } from '../ledger/move.js';

/** These change other accounts than the wallet. */
const elsewhere = ['post', 'loss'] as const satisfies readonly LedgerTransactionKind[];

export type WalletKind = Exclude<LedgerTransactionKind, (typeof elsewhere)[number]>;

const walletKinds = Object.values(LedgerTransactionKind).filter(
  (kind) => !elsewhere.some((other) => other === kind),
);

export interface WalletChange {
  readonly id: string;
  readonly kind: WalletKind;
  readonly subjectId: string;
  readonly kobo: bigint;
  readonly balance: bigint;
  readonly note: string | null;
  readonly createdAt: Date;
}

export interface WalletHistoryQuery {
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

/**
 * The changes of one wallet, newest first: their amounts add up to its balance. As ids are made in the order of time,
 * a moment is a place between two ids. Each kind is read by itself, as one index has them in the order of their ids:
 * every page costs the same however far back it lies, and however rare its kind is.
 */
export function historyOf(ledger: Ledger, wish: WalletHistoryQuery): Promise<WalletChange[]> {
  const from = firstIdAt(wish.since ?? new Date(0));
  const until = wish.until ? firstIdAt(wish.until) : maxId;
  return ledger.query<WalletChange>(sql`
    SELECT change.id, change.kind, change.subject_id AS "subjectId", entry.amount AS kobo,
      entry.balance_after AS balance, change.note, change.created_at AS "createdAt"
    FROM ledger_account wallet
    CROSS JOIN unnest(${wish.kind ? [wish.kind] : walletKinds}::ledger_transaction_kind[]) AS wanted (kind)
    CROSS JOIN LATERAL (
      SELECT id, kind, subject_id, note, created_at FROM ledger_transaction
      WHERE organisation_id = ${wish.organisationId} AND kind = wanted.kind AND id >= ${from}::uuid
        AND id < least(${wish.before ?? maxId}::uuid, ${until}::uuid)
      ORDER BY id DESC LIMIT ${wish.limit}) change
    CROSS JOIN LATERAL (
      SELECT amount, balance_after FROM ledger_entry
      WHERE transaction_id = change.id AND account_id = wallet.id LIMIT 1) entry
    WHERE wallet.organisation_id = ${wish.organisationId} AND wallet.kind = 'wallet'
    ORDER BY change.id DESC LIMIT ${wish.limit}`);
}
