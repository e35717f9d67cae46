import { command, type MessageAction, type RowOf, sql, type SqlRunner, statement, t } from '@gangan/database';
import { ClaimTable, dueNow, type Lease, LeaseLostError } from '@gangan/leases';

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
  requestedAt: t.timestamp,
  /** The time since the request. */
  ageMs: t.float,
};

/** Includes suspended organisations. @param waits whether to claim one that waits for a provider, or another */
export const claimNext = statement(claimShape, (lease: Lease, waits: boolean) =>
  changeLease.claimDue({
    ...lease,
    limit: 1,
    where: sql`waits = ${waits}`,
    set: sql`stalls = stalls + 1, waits = false`,
    returning: sql`message_id AS "messageId", organisation_id AS "organisationId", action, attempt, stalls,
      created_at AS "requestedAt", extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs"`,
  }),
);

export const isChangeDue = statement(
  { isDue: t.bool },
  () => sql`SELECT EXISTS (SELECT FROM message_change WHERE next_attempt_at <= ${dueNow}) AS "isDue"`,
);

/** A sample for the checks of statements. */
export const anyChange: ClaimedChange = {
  messageId: '',
  organisationId: '',
  action: 'pause',
  attempt: 1,
  stalls: 1,
  requestedAt: new Date(0),
  ageMs: 0,
};

export const takeOverChanges = command((lease: Lease) => changeLease.takeOver(lease));

const lockHeld = statement(
  { held: t.int },
  (claimed: ClaimedChange) => sql`
    SELECT 1 AS held FROM message_change
    WHERE ${changeLease.stillHeld(claimed)} AND created_at = ${claimed.requestedAt}::timestamptz FOR NO KEY UPDATE`,
  { samples: [[anyChange]] },
);

/**
 * Locks the row until the transaction ends, so that no newer action replaces it meanwhile. The row of an earlier action
 * may have had the same attempt, so the time of the request is compared too. @throws LeaseLostError
 */
export async function confirmChange(transaction: SqlRunner, claimed: ClaimedChange): Promise<void> {
  const rows = await transaction.run(lockHeld, claimed);
  if (rows.length === 0) throw new LeaseLostError();
}
