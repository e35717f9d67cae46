import { sql } from '@gangan/database';
import { itemArrays, type RefundItem } from './items.js';
import { type Ledger, moveMoney } from './move-money.js';
import type { MoveRow } from './move-statement.js';

/** The result for one item. */
export interface Receipt {
  /** False if it was booked before: nothing moved now, and `balance` is what the wallet had then. */
  readonly moved: boolean;
  /** What was booked, now or before: it may differ from the amount of this item. */
  readonly kobo: bigint;
  /** The balance of the wallet after this item. */
  readonly balance: bigint;
}

const refunding = (items: readonly RefundItem[]) => sql`
  refund_money(${itemArrays(items)}, ${items.map(({ chargeId }) => chargeId)}::uuid[])`;

/**
 * Refunds the price of each item, once. The subject is what failed (a delivery), not what was charged (its message).
 * @throws if all refunds of a charge together would exceed it
 */
export async function refund(ledger: Ledger, items: readonly RefundItem[]): Promise<Receipt[]> {
  const rows = await moveMoney(ledger, refunding, items);
  return rows.map((row) => {
    const { outcome, kobo, balance } = row as MoveRow;
    return { moved: outcome === 'moved', kobo, balance: balance ?? 0n };
  });
}

export interface RefundedDelivery {
  readonly id: string;
  readonly organisationId: string;
  /** The message of the delivery; null if it is one of an OTP. */
  readonly messageId: string | null;
  readonly kobo: bigint;
}

/** @throws if one of the deliveries has been refunded before */
export async function refundDeliveries(
  ledger: Ledger,
  deliveries: readonly RefundedDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  // The first delivery of an OTP has the id of the OTP; each further one is charged by itself.
  const items = deliveries.map(({ id, organisationId, messageId, kobo }) => ({
    subjectId: id,
    organisationId,
    kobo,
    chargeId: messageId ?? id,
  }));
  const receipts = await refund(ledger, items);
  const unmoved = items.find((_, index) => receipts[index]?.moved !== true);
  if (unmoved) throw new Error(`Delivery ${unmoved.subjectId} has been refunded before`);
}
