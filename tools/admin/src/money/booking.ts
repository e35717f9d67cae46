import { adjust, insufficientBalance, type LedgerItem, topUp } from '@gangan/billing';
import type { SqlRunner } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import { Money } from '../session/print.js';

export type BookingKind = 'top_up' | 'adjustment';

/** Money that an operator books; only an adjustment may be negative. */
export interface Booking extends LedgerItem {
  readonly kind: BookingKind;
  /** What the operator calls it. */
  readonly reference?: string;
}

export interface Booked {
  /** False if the subject was booked before: nothing moved now. */
  readonly moved: boolean;
  /** Of the wallet after it. */
  readonly balance: bigint;
}

/**
 * Books once per subject.
 * @throws CommandError if the subject was booked with another amount, AppError if the wallet holds too little
 */
export async function book(transaction: SqlRunner, { kind, ...item }: Booking): Promise<Booked> {
  const { kobo, moved, balance } = await (kind === 'top_up'
    ? bookTopUp(transaction, item)
    : bookAdjustment(transaction, item));
  if (kobo !== item.kobo) throw otherAmount(item.kobo, kobo, 'booked');
  return { moved, balance };
}

async function bookTopUp(transaction: SqlRunner, item: LedgerItem) {
  const [receipt] = await topUp(transaction, [item]);
  if (!receipt) throw new Error(`The ledger has no result for ${item.subjectId}`);
  return receipt;
}

async function bookAdjustment(transaction: SqlRunner, item: LedgerItem) {
  const done = await adjust(transaction, { ...item, note: item.note ?? '' });
  if (!done.ok) throw insufficientBalance(-item.kobo, done.available);
  const { repeated, balance, balanceBefore } = done;
  return { moved: !repeated, kobo: balance - balanceBefore, balance };
}

/** A reference stands for one amount. */
export const otherAmount = (asked: bigint, earlier: bigint, state: 'booked' | 'requested'): CommandError =>
  new CommandError(
    `This reference is already ${state} with ${new Money(earlier).text} instead of ${new Money(asked).text}; nothing was booked now. Check the amount, or use another reference.`,
  );
