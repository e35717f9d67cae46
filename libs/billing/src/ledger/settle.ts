import { reservedAmounts, type Subject, voidedAmounts } from './items.js';
import { type Ledger, moveMoney } from './move-money.js';
import type { MoneyFlow } from './move-statement.js';

/** Whether money moved now; if not, why. */
type Booking<Reason> =
  | { readonly moved: true; readonly kobo: bigint }
  | { readonly moved: false; readonly reason: Reason };

/** It was settled before, one way or the other, or there is no reservation. */
export type Settlement = Booking<'posted' | 'voided' | 'unreserved'>;
export type LossBooking = Booking<'booked' | 'not_voided'>;

const settling = ['post', 'void'] as const;
const posting: MoneyFlow = { kind: 'post', from: 'reserved', to: 'revenue', onceAmong: settling };
const voiding: MoneyFlow = { kind: 'void', from: 'reserved', to: 'wallet', onceAmong: settling };
const losing: MoneyFlow = { kind: 'loss', from: 'loss', to: 'revenue', onceAmong: ['loss'] };

/** Turns reservations into revenue. Of `post` and `voidReservation` only the first moves money. */
export const post = (ledger: Ledger, purchases: readonly Subject[]): Promise<Settlement[]> =>
  settle(ledger, posting, purchases);

/** Returns reservations to the wallet: the refund of an airtime purchase or a lookup. */
export const voidReservation = (ledger: Ledger, purchases: readonly Subject[]): Promise<Settlement[]> =>
  settle(ledger, voiding, purchases);

/** Books revenue against the loss account for purchases that were voided and then delivered after all. */
export async function bookLoss(ledger: Ledger, purchases: readonly Subject[]): Promise<LossBooking[]> {
  const rows = await moveMoney(ledger, losing, purchases, voidedAmounts);
  return rows.map((row) => {
    if (row?.outcome === 'moved') return { moved: true, kobo: row.kobo };
    return { moved: false, reason: row ? 'booked' : 'not_voided' };
  });
}

async function settle(ledger: Ledger, flow: MoneyFlow, purchases: readonly Subject[]): Promise<Settlement[]> {
  const rows = await moveMoney(ledger, flow, purchases, reservedAmounts);
  return rows.map((row) => {
    if (!row) return { moved: false, reason: 'unreserved' };
    if (row.outcome === 'moved') return { moved: true, kobo: row.kobo };
    if (row.outcome === 'earlier')
      return { moved: false, reason: row.earlierKind === 'post' ? 'posted' : 'voided' };
    throw new Error(`The reserved balance is smaller than the reservation of ${row.subjectId}`);
  });
}
