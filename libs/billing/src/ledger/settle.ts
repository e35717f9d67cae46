import { type Sql, sql } from '@gangan/database';
import type { Subject } from './members.js';
import { type Ledger, move } from './move.js';
import type { Route, Row } from './movement.js';

/** What became of a reservation. */
export type Settlement =
  | { readonly moved: true; readonly kobo: bigint }
  /** Nothing moved: it was settled before, one way or the other, or there is nothing to settle. */
  | { readonly moved: false; readonly because: 'posted' | 'voided' | 'unreserved' };

export type LossBooking =
  | { readonly moved: true; readonly kobo: bigint }
  | { readonly moved: false; readonly because: 'booked' | 'not_voided' };

const settling = ['post', 'void'] as const;
const posting: Route = { kind: 'post', from: 'reserved', to: 'revenue', onceAmong: settling };
const voiding: Route = { kind: 'void', from: 'reserved', to: 'wallet', onceAmong: settling };
const losing: Route = { kind: 'loss', from: 'loss', to: 'revenue', onceAmong: ['loss'] };

/** What was reserved is earned. Of post and void only the first moves anything, whatever runs at the same time. */
export const post = (ledger: Ledger, purchases: readonly Subject[]): Promise<Settlement[]> =>
  settle(ledger, posting, purchases);

/** What was reserved goes back to the wallet. */
export const voidReservation = (ledger: Ledger, purchases: readonly Subject[]): Promise<Settlement[]> =>
  settle(ledger, voiding, purchases);

/** What was voided has been delivered after all: it is revenue that nobody paid. */
export async function bookLoss(ledger: Ledger, purchases: readonly Subject[]): Promise<LossBooking[]> {
  const rows = await move(ledger, losing, purchases, voidedAmounts);
  return purchases.map(({ subjectId }) => {
    const row = rows.get(subjectId);
    if (row?.outcome === 'moved') return { moved: true, kobo: row.kobo };
    return { moved: false, because: row ? 'booked' : 'not_voided' };
  });
}

async function settle(ledger: Ledger, route: Route, purchases: readonly Subject[]): Promise<Settlement[]> {
  const rows = await move(ledger, route, purchases, reservedAmounts);
  return purchases.map(({ subjectId }) => settlementOf(subjectId, rows.get(subjectId)));
}

function settlementOf(subjectId: string, row: Row | undefined): Settlement {
  if (!row) return { moved: false, because: 'unreserved' };
  if (row.outcome === 'short') throw new Error(`Less is reserved than ${subjectId} has reserved`);
  if (row.outcome === 'moved') return { moved: true, kobo: row.kobo };
  return { moved: false, because: row.earlierKind === 'post' ? 'posted' : 'voided' };
}

/** The amount is what was reserved, whatever the caller believes. */
const reservedAmounts = (purchases: readonly Subject[]): Sql => sql`
  SELECT asked.place, asked.subject_id, asked.organisation_id, reserved.kobo, NULL::text AS note
  FROM unnest(${purchases.map(({ subjectId }) => subjectId)}::uuid[],
    ${purchases.map(({ organisationId }) => organisationId)}::uuid[])
    WITH ORDINALITY AS asked (subject_id, organisation_id, place)
  CROSS JOIN LATERAL (
    SELECT id FROM ledger_transaction
    WHERE subject_id = asked.subject_id AND kind = 'reserve' AND organisation_id = asked.organisation_id LIMIT 1) reservation
  CROSS JOIN LATERAL (
    SELECT amount AS kobo FROM ledger_entry WHERE transaction_id = reservation.id AND amount > 0 LIMIT 1) reserved`;

const voidedAmounts = (purchases: readonly Subject[]): Sql => sql`
  SELECT reserved.place, reserved.subject_id, reserved.organisation_id, reserved.kobo, reserved.note
  FROM (${reservedAmounts(purchases)}) reserved
  CROSS JOIN LATERAL (
    SELECT id FROM ledger_transaction WHERE subject_id = reserved.subject_id AND kind = 'void' LIMIT 1) voided`;
