import { recordCallbacks } from '@gangan/callbacks';
import {
  command,
  Database,
  isSuspended,
  retryTransient,
  sql,
  statement,
  type Statements,
  t,
} from '@gangan/database';
import { ClaimTable, dueNow, type Lease, LeaseHolder } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import {
  changedColumns,
  changedShape,
  type ClaimedPurchase,
  claimedColumns,
  claimedShape,
  toCallbacks,
} from '../purchase.js';
import { findDuplicates, GroupLockedError, lockGroup } from './duplicates.js';
import { SettlementSchedule } from './settlement-schedule.js';
import type { Wait } from './transition.js';

/** A purchase that is to be submitted. */
export interface Submission {
  readonly purchase: ClaimedPurchase;
  /** The name of the provider. */
  readonly provider: string;
  /** Our reference for the provider; absent if it gets the id of the purchase. */
  readonly reference: string | undefined;
}

/**
 * The decision about a group of purchases. Missing ones were claimed or finished by another worker, or their
 * organisation has been suspended.
 */
export interface GroupDecision {
  readonly submitting: readonly ClaimedPurchase[];
  /** Includes duplicates that were not asked about. They are pending until they are finished. */
  readonly duplicates: readonly ClaimedPurchase[];
}

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
    WHERE id = ${id} AND state::text = 'pending' AND attempt = 0 AND NOT ${isSuspended(sql`purchase.organisation_id`)}`,
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

/** The index of pending ones is by organisation, so one that waits for its time counts too. */
export const isPurchaseOpen = statement(
  { isDue: t.bool },
  () => sql`
    SELECT ${leases.isAnyOpen(isPending)} OR EXISTS (
      SELECT FROM airtime_purchase WHERE state <> 'pending' AND next_attempt_at <= ${dueNow}) AS "isDue"`,
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
  (submissions: readonly Submission[], lease: Lease) => sql`
    UPDATE airtime_purchase AS purchase SET state = 'submitting', attempt = purchase.attempt + 1,
      provider = given.provider, request_reference = given.reference, product_code = given.product,
      submitted_at = now(), ${leases.assign(lease)}
    FROM unnest(${submissions.map(({ purchase }) => purchase.id)}::uuid[],
      ${submissions.map(({ purchase }) => purchase.attempt)}::int[],
      ${submissions.map(({ provider }) => provider)}::text[],
      ${submissions.map(({ reference }) => reference ?? null)}::text[],
      ${submissions.map(({ purchase }) => purchase.product?.code ?? null)}::text[])
      AS given (id, attempt, provider, reference, product)
    WHERE purchase.id = ANY (${submissions.map(({ purchase }) => purchase.id)}::uuid[]) AND purchase.id = given.id
      AND purchase.attempt = given.attempt AND purchase.state::text = 'pending'
      AND NOT ${isSuspended(sql`purchase.organisation_id`)}
    RETURNING ${claimedColumns}`,
);

/** A decision takes milliseconds. Between two attempts no connection is held. */
const whileLocked = {
  maxAttempts: 100,
  isRetryable: (error: unknown) => error instanceof GroupLockedError,
  delayMs: () => 10 + 20 * Math.random(),
};

const changeProvider = command(
  ({ purchase, provider, reference }: Submission, lease: Lease) => sql`
    UPDATE airtime_purchase SET provider = ${provider}, request_reference = ${reference ?? null}::text,
      submitted_at = now(), ${leases.assign(lease)}
    WHERE ${leases.stillHeld(purchase)} AND state::text = 'submitting'`,
);

/**
 * `updated_at` is the time of the last state that the customer can see. If an operator has stored a resolution meanwhile, the
 * purchase is due at once.
 */
const moveTo = statement(
  { ...changedShape, isNews: t.bool },
  (purchase: ClaimedPurchase, { to, retryInMs, providerReference, reason, cost }: Wait) => sql`
    UPDATE airtime_purchase AS purchase SET state = ${to}::airtime_state, lease_holder = NULL,
      next_attempt_at = CASE WHEN resolution IS NULL
        THEN now() + ${retryInMs ?? null}::float8 * interval '1 millisecond' ELSE now() END,
      provider = CASE WHEN ${to} <> 'pending' THEN provider END,
      request_reference = CASE WHEN ${to} <> 'pending' THEN request_reference END,
      product_code = CASE WHEN ${to} <> 'pending' THEN product_code END,
      submitted_at = CASE WHEN ${to} <> 'pending' THEN submitted_at END,
      provider_reference = coalesce(${providerReference ?? null}, provider_reference),
      cost_micros = CASE WHEN ${to} <> 'pending' THEN coalesce(${cost?.micros ?? null}::bigint, cost_micros) END,
      cost_currency = CASE WHEN ${to} <> 'pending' THEN coalesce(${cost?.currency ?? null}, cost_currency) END,
      error_code = ${reason?.code ?? null}, error_message = ${reason?.message ?? null},
      updated_at = CASE WHEN state::text = ${to} OR ${to} = 'pending' THEN updated_at ELSE now() END
    WHERE ${leases.stillHeld(purchase)}
      AND state IN ('submitting', CASE WHEN ${to} = 'pending' THEN 'pending' ELSE 'sent' END::airtime_state)
    RETURNING ${changedColumns}, old.state <> purchase.state AND ${to} <> 'pending' AS "isNews"`,
);

/** Stores the reference by which the provider can be asked. The first one counts. */
const storeReference = command(
  (id: string, reference: string) => sql`
    UPDATE airtime_purchase SET provider_reference = ${reference}
    WHERE id = ${id} AND state::text IN ('submitting', 'sent', 'error') AND provider_reference IS NULL`,
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
    // Taken over at once: what may have been submitted is never submitted again, and can be queried at any time.
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

  /** Decides which purchases of a group are duplicates, and marks the others as submitted, before they are. */
  startSubmissions(submissions: readonly Submission[]): Promise<GroupDecision> {
    const purchases = submissions.map(({ purchase }) => purchase);
    const decide = async (transaction: Statements): Promise<GroupDecision> => {
      const group = await lockGroup(transaction, purchases);
      const duplicates = findDuplicates(group);
      const refused = new Set(duplicates.map(({ id }) => id));
      const others = submissions.filter(({ purchase }) => !refused.has(purchase.id));
      const submitting = others.length > 0 ? await transaction.run(markSubmitting, others, this.lease) : [];
      return { submitting, duplicates };
    };
    return retryTransient(() => this.database.transaction(decide), whileLocked);
  }

  /** Marks a purchase as submitted to another provider, before it is. Returns false if the claim was lost. */
  async changeProvider(submission: Submission): Promise<boolean> {
    return (await this.database.run(changeProvider, submission, this.lease)) > 0;
  }

  /** Stores the reference of an answer that arrived late, even if the claim was lost. */
  async storeReference(id: string, reference: string): Promise<void> {
    await retryTransient(() => this.database.run(storeReference, id, reference));
  }

  /** Returns the callbacks to announce; `undefined` if the claim was lost. */
  moveTo(purchase: ClaimedPurchase, next: Wait): Promise<readonly string[] | undefined> {
    const move = async (transaction: Statements): Promise<readonly string[] | undefined> => {
      const [moved] = await transaction.run(moveTo, purchase, next);
      return moved && recordCallbacks(transaction, moved.isNews ? toCallbacks([moved]) : []);
    };
    return retryTransient(() => this.database.transaction(move));
  }
}
