import { lockWallets } from '@gangan/billing';
import { command, type Database, isLockTimeout, retryTransient, sql, type SqlRunner } from '@gangan/database';
import { approvalLimitOf } from '../approvals/approval-limit.js';
import { exceeds, request } from '../approvals/approval.repository.js';
import type { Organisation } from '../session/find-organisation.js';
import { Money, type Row } from '../session/print.js';
import type { AdminSession } from '../session/session.js';
import { book, type Booked, type Booking } from './booking.js';

export type BookingResult =
  | ({ readonly state: 'booked' } & Booked)
  | { readonly state: 'pending'; readonly approval: string };

const storeReference = command(
  (subjectId: string, reference: string) => sql`
    INSERT INTO payment_reference (subject_id, reference) VALUES (${subjectId}::uuid, ${reference}) ON CONFLICT DO NOTHING`,
);

/** Books at once, or requests the approval of a second person. Test organisations have no real money and need none. */
export async function bookOrRequest(
  session: AdminSession,
  database: Database,
  { mode, label }: Organisation,
  booking: Booking,
): Promise<BookingResult> {
  const limit = mode === 'live' ? approvalLimitOf(session.settings) : undefined;
  const { organisationId, subjectId, kobo, note } = booking;
  const record = (transaction: SqlRunner, before: Row | undefined, after: Row): Promise<void> =>
    session.audit(transaction, {
      organisationId,
      target: label,
      before,
      after: { ...after, naira: new Money(kobo), subject: subjectId, note },
    });

  const run = () =>
    database.transaction<BookingResult>(async (transaction) => {
      // Bookings of the same organisation wait: together they must not exceed the limit either.
      await lockWallets(transaction, [organisationId]);
      if (booking.reference !== undefined)
        await transaction.run(storeReference, subjectId, booking.reference);
      if (limit !== undefined && (await exceeds(transaction, booking, limit))) {
        const { id, isNew } = await request(transaction, session.actor, booking);
        if (isNew) await record(transaction, undefined, { approval: id, state: 'pending' });
        return { state: 'pending', approval: id };
      }
      const booked = await book(transaction, booking);
      if (booked.moved) {
        const approval_above = limit === undefined ? 'off' : new Money(limit);
        const before = { balance: new Money(booked.balance - kobo) };
        await record(transaction, before, { balance: new Money(booked.balance), approval_above });
      }
      return { state: 'booked', ...booked };
    });
  return retryTransient(run, { isRetryable: isLockTimeout });
}
