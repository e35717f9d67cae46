import { command, type MessageAction, type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { ClaimTable, type Lease, LeaseLostError } from '@gangan/leases';

/** A change that this worker holds until its lease ends. */
export type ClaimedChange = RowOf<typeof claimNext>;

/** Longer than a batch of deliveries takes. */
export const leaseMs = 30_000;

export const changeLease = new ClaimTable({
  table: 'message_change',
  claim: { messageId: 'message_id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
});

const claimShape = {
  messageId: t.uuid,
  organisationId: t.uuid,
  action: t.enumOf<MessageAction>('message_action'),
  attempt: t.int,
  stalls: t.int,
  /** The time since the request. */
  ageMs: t.float,
};

/** Also of suspended organisations. */
export const claimNext = statement(claimShape, (lease: Lease) =>
  changeLease.claimDue({
    ...lease,
    limit: 1,
    set: sql`stalls = stalls + 1`,
    returning: sql`message_id AS "messageId", organisation_id AS "organisationId", action, attempt, stalls,
      extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs"`,
  }),
);

export const takeOverChanges = command((lease: Lease) => changeLease.takeOver(lease));

const lockHeld = statement(
  { held: t.int },
  (claimed: ClaimedChange) => sql`
    SELECT 1 AS held FROM message_change
    WHERE ${changeLease.stillHeld(claimed)} AND action = ${claimed.action}::message_action FOR NO KEY UPDATE`,
  { samples: [[{ messageId: '', organisationId: '', action: 'pause', attempt: 1, stalls: 1, ageMs: 0 }]] },
);

/**
 * Locks the row until the transaction ends, so that no newer action replaces it meanwhile. A row of an earlier action may
 * have had the same attempt, so the action is compared too. @throws LeaseLostError
 */
export async function confirmChange(transaction: SqlRunner, claimed: ClaimedChange): Promise<void> {
  const rows = await transaction.run(lockHeld, claimed);
  if (rows.length === 0) throw new LeaseLostError();
}
