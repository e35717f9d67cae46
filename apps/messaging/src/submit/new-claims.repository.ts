import {
  command,
  Database,
  isSuspended,
  isTransient,
  retryTransient,
  sql,
  sqlFailure,
  statement,
  t,
} from '@gangan/database';
import { dueAfter, dueNow, type Lease, LeaseHolder } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { isPausedOrCanceled } from '../message-status.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';

/** Undoes a claim that was made when the deliveries were inserted: no provider was called. */
const giveBackNew = command(
  (ids: readonly string[], holder: bigint) => sql`
    WITH held AS MATERIALIZED (
      SELECT own.id FROM unnest(${ids}::uuid[]) AS own (id) CROSS JOIN LATERAL (
        SELECT FROM delivery WHERE id = own.id AND attempt = 1 AND state::text = 'submitting'
          AND lease_holder = ${holder} LIMIT 1 FOR UPDATE) still)
    UPDATE delivery SET state = 'queued', attempt = 0, provider = NULL, next_attempt_at = ${dueNow}, lease_holder = NULL
    FROM held WHERE delivery.id = ANY (${ids}::uuid[]) AND delivery.id = held.id`,
);

/**
 * Finds the deliveries that may still be submitted within their lease. The lock on the row of this
 * process makes a takeover wait, or this statement; after the takeover there is no row.
 */
const findHeldNew = statement(
  { id: t.uuid },
  (ids: readonly string[], holder: bigint, inFlightMs: number) => sql`
    WITH running AS MATERIALIZED (
      SELECT id FROM lease_holder WHERE id = ${holder} FOR KEY SHARE
    ), own AS MATERIALIZED (
      SELECT given.id, still.* FROM unnest(${ids}::uuid[]) AS given (id) CROSS JOIN LATERAL (
        SELECT organisation_id, message_id FROM delivery WHERE delivery.id = given.id AND attempt = 1
          AND state::text = 'submitting' AND lease_holder = ${holder} AND next_attempt_at > ${dueAfter(inFlightMs)}
        LIMIT 1) still
      WHERE EXISTS (SELECT FROM running)
    ), suspended AS MATERIALIZED (
      SELECT id FROM (SELECT DISTINCT organisation_id AS id FROM own) organisation WHERE ${isSuspended(sql`organisation.id`)}
    ), paused AS MATERIALIZED (
      SELECT message.id FROM (SELECT DISTINCT message_id AS id FROM own) sent CROSS JOIN LATERAL (
        SELECT id FROM message WHERE message.id = sent.id AND ${isPausedOrCanceled} LIMIT 1) message)
    SELECT id FROM own
    WHERE organisation_id NOT IN (SELECT id FROM suspended) AND message_id NOT IN (SELECT id FROM paused)`,
);

/** Claims that were made when the deliveries were inserted, and wait for their submission. */
@Injectable()
export class NewClaimsRepository {
  readonly lease: Lease;
  private readonly inFlightMs: number;

  constructor(
    private readonly database: Database,
    { leaseMs, inFlightMs }: RetryPolicies,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    this.inFlightMs = inFlightMs;
  }

  /**
   * Finds the deliveries, claimed by this process when it inserted them, that it may still submit: none after it was
   * taken for dead, after their organisation was suspended, or while their message is paused or canceled.
   */
  async findHeld(ids: readonly string[]): Promise<ReadonlySet<string>> {
    const rows = await this.database.run(findHeldNew, ids, this.lease.holder, this.inFlightMs);
    return new Set(rows.map(({ id }) => id));
  }

  /** Makes deliveries due that this process claimed when it inserted them, and has not submitted. */
  async giveBack(ids: readonly string[]): Promise<void> {
    const { holder } = this.lease;
    // If the reply is lost, this process may have claimed them again: a second run would undo that claim.
    const isRetryable = (error: unknown): boolean => isTransient(error) && sqlFailure(error) !== 'lost';
    await retryTransient(() => this.database.run(giveBackNew, ids.toSorted(), holder), {
      isRetryable,
    });
  }
}
