import { command, type RowOf, sql, statement, t } from '@gangan/database';
import { LeaseTable } from '@gangan/leases';

/** An expansion that this worker holds until its lease ends. */
export type ClaimedExpansion = RowOf<typeof claimNext>;

/** Longer than reading and storing a page takes. */
export const leaseMs = 30_000;

export const expansionLease = new LeaseTable({
  table: 'message_expansion',
  claim: { messageId: 'message_id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  held: sql`state = 'expanding'`,
  holder: 'lease_holder',
});

const claimShape = { messageId: t.uuid, organisationId: t.uuid, attempt: t.int, stalls: t.int };

const claimOptions = {
  limit: 1,
  leaseMs,
  where: sql`state = 'expanding'`,
  set: sql`stalls = stalls + 1`,
  returning: sql`message_id AS "messageId", organisation_id AS "organisationId", attempt, stalls`,
};

export const claimNext = statement(claimShape, (holder: bigint) =>
  expansionLease.claimActive({ ...claimOptions, holder }),
);

export const claimHeld = statement(claimShape, (overdueMs: number, holder: bigint) =>
  expansionLease.claimSuspended({ ...claimOptions, overdueMs, holder }),
);

export const takeOverExpansions = command((holder: bigint) =>
  expansionLease.takeOver({ holder, where: claimOptions.where }),
);
