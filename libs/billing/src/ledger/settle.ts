import { sql } from '@gangan/database';
import type { ReservedCategory } from './charge.js';
import { type Subject, subjectArrays } from './items.js';
import { type Ledger, type MoneyCall, moveMoney } from './move-money.js';

/** Whether money moved now; if not, why. */
type Booking<Reason> =
  | { readonly moved: true; readonly kobo: bigint }
  | { readonly moved: false; readonly reason: Reason };

/** If no money moved, the reservation was posted or voided before, or there is none. */
export type Settlement = Booking<'posted' | 'voided' | 'unreserved'>;
export type LossBooking = Booking<'booked' | 'not_voided'>;

const posting = { airtime: sql`post_airtime`, lookup: sql`post_lookup` };
const voiding = { airtime: sql`void_airtime`, lookup: sql`void_lookup` };
const losing: MoneyCall<Subject> = (purchases) => sql`lose_money(${subjectArrays(purchases)})`;

/** Turns reservations into revenue. Of `post` and `voidReservation` only the first moves money. */
export const post = (
  ledger: Ledger,
  category: ReservedCategory,
  purchases: readonly Subject[],
): Promise<Settlement[]> =>
  settle(ledger, (items) => sql`${posting[category]}(${subjectArrays(items)})`, purchases);

/** Returns reservations to the wallet: the refund of an airtime purchase or a lookup. */
export const voidReservation = (
  ledger: Ledger,
  category: ReservedCategory,
  purchases: readonly Subject[],
): Promise<Settlement[]> =>
  settle(ledger, (items) => sql`${voiding[category]}(${subjectArrays(items)})`, purchases);

/** Books revenue against the loss account for purchases that were voided and then delivered after all. */
export async function bookLoss(ledger: Ledger, purchases: readonly Subject[]): Promise<LossBooking[]> {
  const rows = await moveMoney(ledger, losing, purchases);
  return rows.map((row) => {
    if (row?.outcome === 'moved') return { moved: true, kobo: row.kobo };
    return { moved: false, reason: row ? 'booked' : 'not_voided' };
  });
}

async function settle(
  ledger: Ledger,
  call: MoneyCall<Subject>,
  purchases: readonly Subject[],
): Promise<Settlement[]> {
  const rows = await moveMoney(ledger, call, purchases);
  return rows.map((row) => {
    if (!row) return { moved: false, reason: 'unreserved' };
    if (row.outcome === 'moved') return { moved: true, kobo: row.kobo };
    if (row.outcome === 'earlier')
      return { moved: false, reason: row.earlierKind === 'post' ? 'posted' : 'voided' };
    throw new Error(`The reserved balance is smaller than the reservation of ${row.subjectId}`);
  });
}
