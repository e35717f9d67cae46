import { toNaira } from '@gangan/billing';
import { type AirtimePurchase, type AirtimeStatus, type Network, formatTimestamp } from '@gangan/contracts';
import type { AirtimeState } from '@gangan/database';

/** A purchase as it is stored. */
export interface PurchaseRow {
  readonly id: string;
  readonly network: Network;
  readonly recipientGiven: string;
  readonly kobo: bigint;
  readonly balanceBefore: bigint;
  readonly state: AirtimeState;
  readonly refunded: boolean;
  readonly externalRef: string | null;
  readonly callbackUrl: string | null;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

/** That a provider is just being called is nobody's business outside. */
const statusOf = (state: AirtimeState): AirtimeStatus => (state === 'submitting' ? 'pending' : state);

export function purchaseAnswer(row: PurchaseRow, method: string, resource: string): AirtimePurchase {
  return {
    id: row.id,
    recipient: row.recipientGiven,
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    ...(row.callbackUrl !== null && { callback: row.callbackUrl }),
    status: statusOf(row.state),
    created_datetime: formatTimestamp(row.createdAt),
    ...(row.updatedAt !== null && { updated_datetime: formatTimestamp(row.updatedAt) }),
    network: row.network,
    ...(row.errorCode !== null && { reason: { code: row.errorCode, message: row.errorMessage ?? '' } }),
    meta: {
      method,
      resource,
      charge: {
        amount: toNaira(row.kobo),
        available_balance: toNaira(row.balanceBefore - row.kobo),
        balance_before: toNaira(row.balanceBefore),
        refunded: row.refunded,
      },
    },
  };
}
