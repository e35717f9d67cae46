import {
  type ApprovalState,
  command,
  type Database,
  type RowOf,
  sql,
  type Sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import { newId } from '@gangan/protocol';
import { type Booking, type BookingKind, otherAmount } from '../money/booking.js';

/** Undecided requests expire after this time. */
const validDays = 7;

const shape = {
  id: t.uuid,
  organisationId: t.uuid,
  organisation: t.text,
  kind: t.enumOf<BookingKind>('ledger_movement_kind'),
  subjectId: t.uuid,
  kobo: t.bigint,
  note: t.nullable(t.text),
  state: t.enumOf<ApprovalState>('approval_state'),
  requestedBy: t.text,
  requestedAt: t.timestamp,
  expiresAt: t.timestamp,
  decidedBy: t.nullable(t.text),
  decidedAt: t.nullable(t.timestamp),
};

const selectApprovals = (where: Sql): Sql => sql`
  SELECT approval.id, approval.organisation_id AS "organisationId", account.name || '/' || mode AS organisation,
    kind, subject_id AS "subjectId", kobo, note,
    CASE WHEN approval.state = 'pending' AND expires_at <= now() THEN 'expired' ELSE approval.state END AS state,
    requested_by AS "requestedBy", requested_at AS "requestedAt", expires_at AS "expiresAt",
    decided_by AS "decidedBy", decided_at AS "decidedAt"
  FROM approval
  JOIN organisation ON organisation.id = approval.organisation_id
  JOIN account ON account.id = organisation.account_id
  WHERE ${where}`;

/** A request as it is now: one that was not decided in time is `expired`. */
export type Approval = RowOf<typeof findApproval>;

const findApproval = statement(shape, (id: string) => selectApprovals(sql`approval.id = ${id}::uuid`));

export const find = async (database: SqlRunner, id: string): Promise<Approval | undefined> =>
  (await database.run(findApproval, id))[0];

const lockApproval = command((id: string) => sql`SELECT FROM approval WHERE id = ${id}::uuid FOR UPDATE`);

/** Other decisions wait until the transaction ends, and then find this one. */
export async function lock(transaction: SqlRunner, id: string): Promise<Approval | undefined> {
  await transaction.run(lockApproval, id);
  return find(transaction, id);
}

export interface ApprovalFilter {
  readonly organisationId?: string | undefined;
  /** Decided and expired ones too. */
  readonly all?: true | undefined;
  readonly limit: number;
}

const listApprovals = statement(shape, ({ organisationId, all, limit }: ApprovalFilter) =>
  selectApprovals(sql`
    (${organisationId ?? null}::uuid IS NULL OR approval.organisation_id = ${organisationId ?? null}::uuid)
    AND (${all ?? false} OR (approval.state = 'pending' AND expires_at > now()))
    ORDER BY approval.id DESC LIMIT ${limit}`),
);

/** The newest first. */
export const list = (database: Database, filter: ApprovalFilter): Promise<Approval[]> =>
  database.run(listApprovals, filter);

const sumUnapproved = statement(
  { isBooked: t.bool, kobo: t.bigint },
  ({ organisationId, kind, subjectId }: Booking) => sql`
    SELECT
      EXISTS (
        SELECT FROM ledger_movement
        WHERE subject_id = ${subjectId}::uuid AND kind = ${kind}::ledger_movement_kind) AS "isBooked",
      (SELECT coalesce(sum(booking.kobo), 0)::bigint FROM ledger_movement booking
       WHERE booking.organisation_id = ${organisationId}::uuid AND booking.kind IN ('top_up', 'adjustment')
         AND booking.created_at > now() - interval '24 hours'
         AND NOT EXISTS (
           SELECT FROM approval
           WHERE approval.subject_id = booking.subject_id AND approval.kind = booking.kind AND state = 'approved')
      ) AS kobo`,
);

/**
 * Whether a booking, with what the organisation got without approval in the last 24 hours, exceeds the limit: a large
 * amount cannot be booked in small parts. One that is already booked needs none. The caller holds the lock of the wallet.
 */
export async function exceeds(transaction: SqlRunner, booking: Booking, limit: bigint): Promise<boolean> {
  const [found] = await transaction.run(sumUnapproved, booking);
  if (!found || found.isBooked) return false;
  return found.kobo + (booking.kobo < 0n ? -booking.kobo : booking.kobo) > limit;
}

const expireApprovals = command(
  ({ kind, subjectId }: Booking) => sql`
    UPDATE approval SET state = 'expired'
    WHERE subject_id = ${subjectId}::uuid AND kind = ${kind}::ledger_movement_kind
      AND state = 'pending' AND expires_at <= now()`,
);

const insertApproval = command(
  (id: string, requestedBy: string, { organisationId, kind, subjectId, kobo, note }: Booking) => sql`
    INSERT INTO approval (id, organisation_id, kind, subject_id, kobo, note, requested_by, expires_at)
    VALUES (${id}::uuid, ${organisationId}::uuid, ${kind}::ledger_movement_kind, ${subjectId}::uuid, ${kobo}::bigint,
      ${note ?? null}, ${requestedBy}, now() + make_interval(days => ${validDays}))
    ON CONFLICT (subject_id, kind) WHERE state = 'pending' DO NOTHING`,
);

const findPending = statement(
  { id: t.uuid, kobo: t.bigint },
  ({ kind, subjectId }: Booking) => sql`
  SELECT id, kobo FROM approval
  WHERE subject_id = ${subjectId}::uuid AND kind = ${kind}::ledger_movement_kind AND state = 'pending'`,
);

/**
 * Requests a booking; the same reference has one pending request. The caller holds the lock of the wallet.
 * @throws CommandError if the pending request has another amount
 */
export async function request(
  transaction: SqlRunner,
  requestedBy: string,
  booking: Booking,
): Promise<{ readonly id: string; readonly isNew: boolean }> {
  await transaction.run(expireApprovals, booking);
  const isNew = (await transaction.run(insertApproval, newId(), requestedBy, booking)) > 0;
  const [pending] = await transaction.run(findPending, booking);
  if (!pending) throw new Error(`The request of ${booking.subjectId} was not stored`);
  if (pending.kobo !== booking.kobo) throw otherAmount(booking.kobo, pending.kobo, 'requested');
  return { id: pending.id, isNew };
}

const decideApproval = command(
  (id: string, state: 'approved' | 'rejected', decidedBy: string) => sql`
    UPDATE approval SET state = ${state}::approval_state, decided_by = ${decidedBy}, decided_at = now()
    WHERE id = ${id}::uuid`,
);

/** The caller has locked the request and found it pending. */
export async function decide(
  transaction: SqlRunner,
  id: string,
  state: 'approved' | 'rejected',
  decidedBy: string,
): Promise<void> {
  await transaction.run(decideApproval, id, state, decidedBy);
}
