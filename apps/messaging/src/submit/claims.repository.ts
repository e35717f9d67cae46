import type { MessageCategory } from '@gangan/contracts';
import {
  type Channel,
  Database,
  isSuspended,
  type OrganisationMode,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
  unnest,
} from '@gangan/database';
import { type Lease, LeaseHolder, leaseUntil } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import { categoryOfMessage } from '../message-category.js';
import { holdOfMessage, isPausedOrCanceled, type MessageHold } from '../message-status.js';
import { attemptStartedAt, quietMs, snapshotShape } from '../outcome/apply-transitions.js';
import { RetryPolicies, type TrafficClass } from '../outcome/retry/retry-policy.js';
import type { Substitutions } from '../text/rendering.js';
import { postponeSuspects, releaseExpiredLeases, takeOverLeases } from './ended-leases.js';

/** The deliveries of one organisation in one traffic class. */
export interface DeliveryGroup {
  readonly trafficClass: TrafficClass;
  readonly organisationId: string;
}

/** A delivery that a provider may be called for. */
export const dueDeliveryShape = {
  ...snapshotShape,
  channel: t.enumOf<Channel>('channel'),
  messageId: t.nullable(t.uuid),
  category: t.nullable(t.textOf<MessageCategory>()),
  mode: t.enumOf<OrganisationMode>('organisation_mode'),
  /** As the organisation calls it; a provider may get another form. */
  sender: t.text,
  recipient: t.text,
  /** The operator that the recipient was ported to; read only if a route names an operator. */
  portedTo: t.nullable(t.text),
  /** The provider of the last attempt. */
  provider: t.nullable(t.text),
  /** Whether the provider of the last attempt may have it; if the delivery is claimed, from an earlier attempt. */
  unansweredHere: t.bool,
  /** The providers that will not take it, or not now, and those before the last one that may have it. */
  excludedProviders: t.array(t.text),
  hold: t.nullable(t.textOf<MessageHold>()),
};

export type DueDelivery = RowOf<{ readonly shape: typeof dueDeliveryShape }>;

/** A due delivery, as it is read from the table. */
export const foundDeliveryShape = {
  ...dueDeliveryShape,
  /** An attempt at the provider ended without an answer. An attempt whose worker died has not ended. */
  unanswered: t.bool,
  /** The last attempt ended with an answer: the provider refused it. */
  isRefused: t.bool,
  /** What an operator decided about it. */
  resolution: t.nullable(t.textOf<'refund' | 'resend'>()),
  /** The lease of its last attempt has expired, and was not released: see `ClaimsRepository.releaseExpired`. */
  isLeaseExpired: t.bool,
  /** How many workers died, one after the other, while they held it. */
  workerDeaths: t.int,
};

export type FoundDelivery = RowOf<{ readonly shape: typeof foundDeliveryShape }>;

/** A due delivery that this worker holds until its lease ends. */
export type ClaimedDelivery = RowOf<typeof claimDeliveries>;

/** Providers that must not get the delivery now. An operator may let those that may have it get it again. */
export const excludedProviders = sql`
  coalesce(refused_by, '{}') || CASE WHEN resolution = 'resend' THEN '{}' ELSE coalesce(unanswered_by, '{}') END
  || CASE WHEN quiet_until > now() THEN coalesce(quiet_by, '{}') ELSE '{}' END`;

/** Whether the provider of the last attempt may have it. An attempt whose worker died may have no row yet. */
export const mayBeAtProvider = sql`CASE WHEN delivery.state = 'submitting' THEN coalesce((
    SELECT bool_or(coalesce(tried.outcome, 'unknown') = 'unknown') OR NOT bool_or(tried.attempt = delivery.attempt)
    FROM delivery_attempt AS tried WHERE tried.delivery_id = delivery.id AND tried.provider = delivery.provider), true)
  ELSE false END`;

const assign = ({ holder, leaseMs }: Lease): Sql =>
  sql`next_attempt_at = ${leaseUntil(leaseMs)}, lease_holder = ${holder}::bigint`;

export const messageIdsOf = (deliveries: readonly Pick<DueDelivery, 'messageId'>[]): string[] => [
  ...new Set(deliveries.flatMap(({ messageId }) => messageId ?? [])),
];

/** The row of an attempt is written with its outcome. An attempt without one gets its row with the next claim. */
const claimDeliveries = statement(
  {
    ...dueDeliveryShape,
    provider: t.text,
    recipientGiven: t.text,
    pages: t.int,
    substitutions: t.nullable(t.json<Substitutions>()),
    otpId: t.nullable(t.uuid),
    sealedBody: t.nullable(t.bytes),
  },
  (due: readonly DueDelivery[], provider: string, lease: Lease) => sql`
    WITH due AS MATERIALIZED (
      SELECT * FROM ${unnest('given', due, { uuid: ['id', 'organisationId'], int: ['attempt'], text: ['sender', 'portedTo'] })}
    ), suspended AS MATERIALIZED (
      SELECT id FROM (SELECT DISTINCT organisation_id AS id FROM due) own WHERE ${isSuspended(sql`own.id`)}
    ), held AS MATERIALIZED (
      SELECT id, ${holdOfMessage} AS hold FROM message
      WHERE id = ANY (${messageIdsOf(due)}::uuid[]) AND ${isPausedOrCanceled}
    ), locked AS MATERIALIZED (
      SELECT due.id, due.attempt, due.sender, due.ported_to, free.* FROM due CROSS JOIN LATERAL (
        SELECT state = 'submitting' AS outcome_unknown, provider, ${mayBeAtProvider} AS may_have_it,
          ${attemptStartedAt(lease.leaseMs)} AS started_at
        FROM delivery WHERE id = due.id AND organisation_id = due.organisation_id AND attempt = due.attempt
          AND (state::text = 'submitting' AND next_attempt_at <= now() AND resolution IS DISTINCT FROM 'refund'
            OR state::text = 'queued' AND (message_id IS NULL OR message_id NOT IN (SELECT id FROM held)))
        LIMIT 1 FOR UPDATE SKIP LOCKED) free
      WHERE due.organisation_id NOT IN (SELECT id FROM suspended)
    ), claimed AS (
      UPDATE delivery SET state = 'submitting', attempt = delivery.attempt + 1, provider = ${provider},
        unanswered_by = CASE WHEN locked.may_have_it AND locked.provider <> ${provider}
          THEN array_append(delivery.unanswered_by, locked.provider) ELSE delivery.unanswered_by END,
        resolution = nullif(delivery.resolution, 'resend'), ${assign(lease)}
      FROM locked WHERE delivery.id = ANY (${due.map(({ id }) => id)}::uuid[]) AND delivery.id = locked.id
      RETURNING delivery.*, locked.outcome_unknown, locked.sender, locked.ported_to,
        locked.may_have_it AND locked.provider = ${provider} OR ${provider} = ANY (delivery.unanswered_by) AS may_have_it
    ), unanswered AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, provider, started_at)
      SELECT id, attempt, provider, started_at FROM locked WHERE outcome_unknown AND provider IS NOT NULL
      ON CONFLICT DO NOTHING)
    SELECT id, organisation_id AS "organisationId", lane AS "trafficClass", channel,
      ${categoryOfMessage(sql`claimed.message_id`)} AS category,
      (SELECT mode FROM organisation WHERE id = claimed.organisation_id) AS mode, sender, recipient, ported_to AS "portedTo", state,
      attempt, provider, extract(epoch FROM now() - coalesce(send_at, created_at))::float8 * 1000 AS "ageMs", outcome_unknown AS "outcomeUnknown",
      unanswered_by IS NOT NULL AS "unansweredElsewhere", coalesce(may_have_it, false) AS "unansweredHere", ${quietMs} AS "quietMs", ${excludedProviders} AS "excludedProviders",
      recipient_given AS "recipientGiven", pages, substitutions, message_id AS "messageId", otp_id AS "otpId",
      sealed_body AS "sealedBody", (SELECT hold FROM held WHERE held.id = claimed.message_id) AS hold
    FROM claimed`,
);

const renewLeases = statement(
  { id: t.uuid },
  (claimed: readonly ClaimedDelivery[], lease: Lease) => sql`
    WITH held AS MATERIALIZED (
      SELECT own.id FROM ${unnest('own', claimed, { uuid: ['id'], int: ['attempt'] })} CROSS JOIN LATERAL (
        SELECT FROM delivery WHERE id = own.id AND attempt = own.attempt AND state::text = 'submitting'
        LIMIT 1 FOR UPDATE) still)
    UPDATE delivery SET ${assign(lease)} FROM held
    WHERE delivery.id = ANY (${claimed.map(({ id }) => id)}::uuid[]) AND delivery.id = held.id RETURNING delivery.id`,
);

/** How often a lease is renewed, if the database is slow, before the submission is put off. */
const maxRenewals = 3;

/** Claims deliveries. `next_attempt_at` is the end of the lease, and `attempt` identifies its holder. */
@Injectable()
export class ClaimsRepository {
  private readonly startMs: number;
  readonly lease: Lease;

  constructor(
    private readonly database: Database,
    { leaseMs, inFlightMs, startMs }: RetryPolicies,
    holder: LeaseHolder,
  ) {
    this.lease = holder.lease(leaseMs);
    this.startMs = startMs;
    holder.onTakeover('delivery', async (transaction, ended, hasDied) => {
      const released = await transaction.run(takeOverLeases, { holder: ended, leaseMs }, inFlightMs, hasDied);
      if (hasDied) await transaction.run(postponeSuspects);
      return released;
    });
  }

  /**
   * Commits the state `submitting` before a provider is called, so that after a crash it is known which deliveries the
   * provider may have. Deliveries that another worker has claimed since, or whose lease was renewed, are left out, and
   * those of organisations that have been suspended since, that an operator refunds, or whose message has been paused or
   * canceled, unless a provider may have them.
   */
  async claim(due: readonly DueDelivery[], provider: string): Promise<readonly ClaimedDelivery[]> {
    if (due.length === 0) return [];
    return this.database.run(claimDeliveries, due, provider, this.lease);
  }

  /** Renews the leases that no other worker has claimed since. @returns the ids of their deliveries */
  private async renew(claimed: readonly ClaimedDelivery[]): Promise<ReadonlySet<string>> {
    if (claimed.length === 0) return new Set();
    const ordered = claimed.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    const rows = await this.database.run(renewLeases, ordered, this.lease);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * If this process dies, another one takes over its deliveries after the time in which a submission can be in flight. So a
   * submission that does not start soon after the claim needs a new lease.
   * @returns the ids of the deliveries that are still held, and whether it is too late to submit them
   */
  async renewIfLate(
    deliveries: readonly ClaimedDelivery[],
    leasedAt: number,
  ): Promise<{ readonly held: ReadonlySet<string>; readonly isLate: boolean }> {
    let held: ReadonlySet<string> = new Set(deliveries.map(({ id }) => id));
    const isLate = (): boolean => performance.now() - leasedAt > this.startMs;
    for (let renewals = 0; isLate() && renewals < maxRenewals; renewals += 1) {
      leasedAt = performance.now();
      held = await this.renew(deliveries);
    }
    return { held, isLate: isLate() };
  }

  /** Releases leases that expired without a result. @returns how many */
  releaseExpired(ids: readonly string[]): Promise<number> {
    const { holder, leaseMs } = this.lease;
    return this.database.run(releaseExpiredLeases, ids.toSorted(), holder, leaseMs);
  }
}
