import { command, type RowOf, sql, statement, t } from '@gangan/database';
import { ClaimTable, type Lease } from '@gangan/leases';

export type ClaimedBatch = RowOf<typeof claimNext>;

/** Longer than a portion of numbers takes; progress is written after each. */
export const leaseMs = 60_000;

const unfinished = sql`state IN ('queued', 'running')`;

export const batchLease = new ClaimTable({
  table: 'lookup_batch',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
  held: sql`state::text = 'running'`,
});

/** Batches of suspended organisations wait. */
export const claimNext = statement(
  { id: t.uuid, organisationId: t.uuid, attempt: t.int, stalls: t.int },
  (lease: Lease) =>
    batchLease.claimActive({
      ...lease,
      limit: 1,
      where: unfinished,
      set: sql`state = 'running', stalls = stalls + 1`,
      returning: sql`id, organisation_id AS "organisationId", attempt, stalls`,
    }),
);

export const isBatchOpen = statement(
  { isDue: t.bool },
  () => sql`SELECT ${batchLease.isAnyOpen(unfinished)} AS "isDue"`,
);

export const takeOverBatches = command((lease: Lease) =>
  batchLease.takeOver({ ...lease, where: unfinished }),
);
