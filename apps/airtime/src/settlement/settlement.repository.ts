import { recordCallbacks } from '@gangan/callbacks';
import { command, Database, isSuspended, sql, statement, t } from '@gangan/database';
import { ClaimTable, type Lease, LeaseHolder } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import {
  type ClaimedPurchase,
  claimedColumns,
  claimedShape,
  purchaseColumns,
  purchaseShape,
  toCallbacks,
} from '../purchase.js';
import { isDuplicate, lockDuplicates } from './duplicates.js';
import { finishDuplicate } from './finish-purchases.js';
import { SettlementSchedule } from './settlement-schedule.js';
import type { Wait } from './transition.js';

/**
 * `busy`: another worker is deciding about a duplicate. `lost`: another worker has claimed or finished it, or its
 * organisation has been suspended.
 */
export type SubmissionStart =
  | { readonly is: 'submitting'; readonly purchase: ClaimedPurchase }
  | { readonly is: 'duplicate'; readonly callbackIds: readonly string[] }
  | { readonly is: 'busy' }
  | { readonly is: 'lost' };

/** Stands for the provider of a purchase that was not submitted. */
export const noProvider = '';

/** `next_attempt_at` is the lease of a claimed purchase, and the time of the next try of a released one. */
const leases = new ClaimTable({
  table: 'airtime_purchase AS purchase',
  claim: { id: 'id', attempt: 'attempt' },
  expiresAt: 'next_attempt_at',
});

const findNew = statement(
  claimedShape,
  (id: string) => sql`
    SELECT ${claimedColumns} FROM airtime_purchase AS purchase
    WHERE id = ${id} AND state = 'pending' AND attempt = 0 AND NOT ${isSuspended(sql`purchase.organisation_id`)}`,
);

const isPending = sql`state = 'pending'`;

/** Unsubmitted purchases of suspended organisations are held; submitted ones are settled. */
const claimDue = statement(claimedShape, (limit: number, lease: Lease, exceptProviders: readonly string[]) =>
  leases.claimActive({
    ...lease,
    limit,
    returning: claimedColumns,
    where: sql`${isPending} AND ${noProvider} <> ALL (${exceptProviders}::text[])`,
    always: sql`state <> 'pending' AND provider <> ALL (${exceptProviders}::text[])`,
  }),
);

const claimHeld = statement(claimedShape, (limit: number, lease: Lease, overdueMs: number) =>
  leases.claimSuspended({ ...lease, limit, overdueMs, where: isPending, returning: claimedColumns }),
);

/** Two statements, because two indexes serve them. */
const takeOverPending = command((lease: Lease) => leases.takeOver({ ...lease, where: isPending }));
const takeOverSubmitted = command((lease: Lease) =>
  leases.takeOver({ ...lease, where: sql`next_attempt_at IS NOT NULL AND state <> 'pending'` }),
);

const markSubmitting = statement(
  claimedShape,
  (purchase: ClaimedPurchase, provider: string, lease: Lease) => sql`
    UPDATE airtime_purchase AS purchase SET state = 'submitting', attempt = attempt + 1, provider = ${provider},
      submitted_at = now(), ${leases.hold(lease)}
    WHERE ${leases.stillHeld(purchase)} AND state = 'pending' AND NOT ${isSuspended(sql`purchase.organisation_id`)}
    RETURNING ${claimedColumns}`,
);

const changeProvider = command(
  (purchase: ClaimedPurchase, provider: string, lease: Lease) => sql`
    UPDATE airtime_purchase SET provider = ${provider}, submitted_at = now(), ${leases.hold(lease)}
    WHERE ${leases.stillHeld(purchase)} AND state = 'submitting'`,
);

/** `updated_at` is the time of the last state that the customer can see. */
const moveTo = statement(
  { ...purchaseShape, isNews: t.bool },
  (purchase: ClaimedPurchase, { to, retryInMs, providerReference, reason }: Wait) => sql`
    UPDATE airtime_purchase AS purchase SET state = ${to}::airtime_state, lease_holder = NULL,
      next_attempt_at = now() + ${retryInMs ?? null}::float8 * interval '1 millisecond',
      provider = CASE WHEN ${to} <> 'pending' THEN provider END,
      submitted_at = CASE WHEN ${to} <> 'pending' THEN submitted_at END,
      provider_reference = coalesce(${providerReference ?? null}, provider_reference),
      error_code = ${reason?.code ?? null}, error_message = ${reason?.message ?? null},
      updated_at = CASE WHEN state::text = ${to} OR ${to} = 'pending' THEN updated_at ELSE now() END
    WHERE ${leases.stillHeld(purchase)}
      AND state IN ('submitting', CASE WHEN ${to} = 'pending' THEN 'pending' ELSE 'sent' END::airtime_state)
    RETURNING ${purchaseColumns}, old.state <> purchase.state AND ${to} <> 'pending' AS "isNews"`,
);

/** Stores the progress of unfinished purchases. Each change counts only for the attempt it was read with. */
@Injectable()
export class SettlementRepository {
  private readonly lease: Lease;

  constructor(
    private readonly database: Database,
    holder: LeaseHolder,
    { leaseMs }: SettlementSchedule,
  ) {
    this.lease = holder.lease(leaseMs);
    // At once: what may have been submitted is never submitted again, and the provider can be queried at any time.
    holder.onTakeover('airtime_purchase', async (transaction, dead) => {
      const lease = { holder: dead, leaseMs };
      const pending = await transaction.run(takeOverPending, lease);
      return pending + (await transaction.run(takeOverSubmitted, lease));
    });
  }

  /** Finds a purchase that no worker has claimed yet. */
  async findNew(id: string): Promise<ClaimedPurchase | undefined> {
    return (await this.database.run(findNew, id))[0];
  }

  claimDue(limit: number, exceptProviders: readonly string[] = []): Promise<ClaimedPurchase[]> {
    return this.database.run(claimDue, limit, this.lease, exceptProviders);
  }

  /** Claims unsubmitted purchases of suspended organisations that have been due for `overdueMs`. */
  claimHeld(limit: number, overdueMs: number): Promise<ClaimedPurchase[]> {
    return this.database.run(claimHeld, limit, this.lease, overdueMs);
  }

  /** Marks a purchase as submitted, before it is; or finishes it as a duplicate. */
  startSubmission(purchase: ClaimedPurchase, provider: string): Promise<SubmissionStart> {
    return this.database.transaction(async (transaction) => {
      if (!(await lockDuplicates(transaction, purchase))) return { is: 'busy' };
      if (await isDuplicate(transaction, purchase)) {
        const callbackIds = await finishDuplicate(transaction, purchase);
        return callbackIds ? { is: 'duplicate', callbackIds } : { is: 'lost' };
      }
      const [submitting] = await transaction.run(markSubmitting, purchase, provider, this.lease);
      return submitting ? { is: 'submitting', purchase: submitting } : { is: 'lost' };
    });
  }

  /** Marks it as submitted to another provider, before it is. Returns false if the claim was lost. */
  async changeProvider(purchase: ClaimedPurchase, provider: string): Promise<boolean> {
    return (await this.database.run(changeProvider, purchase, provider, this.lease)) > 0;
  }

  /** Returns the callbacks to announce; `undefined` if the claim was lost. */
  moveTo(purchase: ClaimedPurchase, next: Wait): Promise<readonly string[] | undefined> {
    return this.database.transaction(async (transaction) => {
      const [moved] = await transaction.run(moveTo, purchase, next);
      return moved && recordCallbacks(transaction, moved.isNews ? toCallbacks([moved]) : []);
    });
  }
}
