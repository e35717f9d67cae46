import { command, type RowOf, sql, statement, t } from '@gangan/database';
import { ClaimTable, dueNow, type Lease } from '@gangan/leases';

/** An expansion that this worker holds until its lease ends. */
export type ClaimedExpansion = RowOf<typeof claimNext>;

/** Longer than reading and storing a page takes. */
export const leaseMs = 30_000;

export const expansionLease = new ClaimTable({
  table: 'message_expansion',
  claim: { messageId: 'message_id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  held: sql`state::text = 'expanding'`,
});

const claimShape = { messageId: t.uuid, organisationId: t.uuid, attempt: t.int, stalls: t.int };

const claimOptions = {
  limit: 1,
  where: sql`state = 'expanding'`,
  set: sql`stalls = stalls + 1`,
  returning: sql`message_id AS "messageId", organisation_id AS "organisationId", attempt, stalls`,
};

export const claimNext = statement(claimShape, (lease: Lease) =>
  expansionLease.claimActive({ ...claimOptions, ...lease }),
);

export const isExpansionOpen = statement(
  { isDue: t.bool },
  () => sql`SELECT ${expansionLease.isAnyOpen(claimOptions.where)} AS "isDue"`,
);

export const claimHeld = statement(claimShape, (overdueMs: number, lease: Lease) =>
  expansionLease.claimSuspended({ ...claimOptions, ...lease, overdueMs }),
);

export const takeOverExpansions = command((lease: Lease) =>
  expansionLease.takeOver({ ...lease, where: claimOptions.where }),
);

/**
 * Stops the expansion of a paused or canceled message. The new attempt takes the lease from the worker that holds it,
 * so that it stores no further page. It waits for a page that is being stored.
 */
export const holdExpansion = command(
  (messageId: string) => sql`
    UPDATE message_expansion SET next_attempt_at = 'infinity', attempt = attempt + 1, lease_holder = NULL
    WHERE message_id = ${messageId} AND state::text = 'expanding'`,
);

/** Continues the expansion of a resumed message, but not before its time. */
export const releaseExpansion = command(
  (messageId: string) => sql`
    UPDATE message_expansion SET next_attempt_at = greatest(${dueNow}, message.send_at), stalls = 0
    FROM message WHERE message.id = message_id AND message_id = ${messageId} AND state::text = 'expanding'`,
);
