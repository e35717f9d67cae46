import {
  command,
  Database,
  distinctKeys,
  isSuspended,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
} from '@gangan/database';
import { leaseGraceMs } from '@gangan/leases';
import { portedTo } from '@gangan/providers';
import { Inject, Injectable } from '@nestjs/common';
import { categoryOfMessage } from '../message-category.js';
import { holdOfMessage, isPausedOrCanceled } from '../message-status.js';
import { snapshotColumns } from '../outcome/apply-transitions.js';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import { Providers } from '../providers/providers.js';
import {
  excludedProviders,
  type FoundDelivery,
  foundDeliveryShape,
  mayBeAtProvider,
  messageIdsOf,
} from '../submit/claims.repository.js';
import { isSuspect } from '../submit/ended-leases.js';

const maxOrganisations = 1_000;

/** Written like the predicate of the partial index, which serves only statements that repeat it. */
export const isOpen = sql`state IN ('queued', 'submitting')`;

const dueColumns = (
  namesOperators: boolean,
): Sql => sql`${snapshotColumns}, channel, message_id AS "messageId",
  ${categoryOfMessage(sql`delivery.message_id`)} AS category,
  (SELECT mode FROM organisation WHERE id = delivery.organisation_id) AS mode, recipient, provider,
  ${excludedProviders} AS "excludedProviders", nullif(resolution, 'keep') AS resolution,
  ${namesOperators ? portedTo(sql`delivery.recipient`) : sql`NULL::text`} AS "portedTo",
  CASE lane WHEN 'otp' THEN (SELECT default_sender FROM organisation WHERE id = delivery.organisation_id)
    ELSE (SELECT sender FROM message WHERE id = delivery.message_id) END AS sender,
  CASE state WHEN 'submitting' THEN EXISTS (
    SELECT FROM delivery_attempt WHERE delivery_id = delivery.id AND provider = delivery.provider AND outcome = 'unknown') ELSE false END AS unanswered,
  CASE state WHEN 'submitting' THEN coalesce((
    SELECT outcome <> 'unknown' FROM delivery_attempt WHERE delivery_id = delivery.id AND attempt = delivery.attempt
    LIMIT 1), false) ELSE false END AS "isRefused", ${mayBeAtProvider} AS "unansweredHere",
  state = 'submitting' AND lease_holder IS NOT NULL AS "isLeaseExpired", worker_deaths::int AS "workerDeaths",
  (SELECT ${holdOfMessage} FROM message WHERE id = delivery.message_id) AS hold`;

/** The index of due deliveries is by organisation, so one that waits for its time counts too. */
export const isDeliveryOpen = statement(
  { isDue: t.bool },
  () => sql`SELECT EXISTS (SELECT FROM delivery WHERE lane IN ('otp', 'sms') AND ${isOpen}) AS "isDue"`,
);

/** One index lookup per organisation, also for a suspended one, whose held deliveries are not read. */
const findOverdue = statement(
  { organisationId: t.uuid, overdueMs: t.float },
  (lane: TrafficClass) => sql`
    WITH RECURSIVE
    ${distinctKeys('organisations', ['organisation_id'], sql`delivery WHERE lane = ${lane}::delivery_lane AND ${isOpen}`)}
    SELECT organisations.organisation_id AS "organisationId",
      extract(epoch FROM now() - first.next_attempt_at)::float8 * 1000 AS "overdueMs"
    FROM organisations CROSS JOIN LATERAL (
      SELECT next_attempt_at FROM delivery
      WHERE lane = ${lane}::delivery_lane AND organisation_id = organisations.organisation_id AND ${isOpen}
        AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT 1) first
    WHERE NOT ${isSuspended(sql`organisations.organisation_id`)}
    ORDER BY first.next_attempt_at LIMIT ${maxOrganisations}`,
);

/**
 * New deliveries become due after the grace, so the index is read no further than that. Scheduled ones wait for their time.
 * Suspects are tried one at a time.
 */
const findDue = statement(
  foundDeliveryShape,
  (
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    limit: number,
    except: readonly string[],
    namesOperators: boolean,
  ) => sql`
    SELECT found.* FROM unnest(${organisationIds}::uuid[]) AS own (id) CROSS JOIN LATERAL (
      SELECT ${dueColumns(namesOperators)} FROM delivery
      WHERE lane = ${trafficClass}::delivery_lane AND organisation_id = own.id AND ${isOpen}
        AND next_attempt_at <= now() + ${leaseGraceMs}::float8 * interval '1 millisecond'
        AND (next_attempt_at <= now() OR state = 'queued' AND attempt = 0 AND send_at IS NULL)
        AND id <> ALL (${except}::uuid[]) AND NOT (${isSuspect})
      ORDER BY next_attempt_at LIMIT ${limit}) found
    WHERE NOT ${isSuspended(sql`own.id`)}`,
  { samples: [true, false].map((namesOperators) => ['sms', [], 1, [], namesOperators] as const) },
);

export const isSuspectDue = statement(
  { isDue: t.bool },
  () => sql`
    SELECT EXISTS (
      SELECT FROM delivery WHERE lane IN ('otp', 'sms') AND ${isSuspect} AND next_attempt_at <= now()) AS "isDue"`,
);

/** The suspect that is tried next: OTPs come first. */
const findSuspect = statement(
  foundDeliveryShape,
  (except: readonly string[], namesOperators: boolean) => sql`
    SELECT found.* FROM unnest(ARRAY['otp', 'sms']::delivery_lane[]) WITH ORDINALITY AS own (lane, position)
    CROSS JOIN LATERAL (
      SELECT ${dueColumns(namesOperators)} FROM delivery
      WHERE lane = own.lane AND ${isSuspect} AND next_attempt_at <= now()
        AND id <> ALL (${except}::uuid[]) AND NOT ${isSuspended(sql`delivery.organisation_id`)}
      ORDER BY next_attempt_at LIMIT 1) found
    ORDER BY own.position LIMIT 1`,
  { samples: [true, false].map((namesOperators) => [[], namesOperators] as const) },
);

const findNew = statement(
  foundDeliveryShape,
  (
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    ids: readonly string[],
    namesOperators: boolean,
  ) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT ${dueColumns(namesOperators)} FROM delivery
      WHERE id = named.id AND organisation_id = ANY (${organisationIds}::uuid[])
        AND lane = ${trafficClass}::delivery_lane AND state::text = 'queued' AND attempt = 0
        AND (send_at IS NULL OR next_attempt_at <= now()) LIMIT 1) found
    WHERE NOT ${isSuspended(sql`found."organisationId"`)}`,
  { samples: [true, false].map((namesOperators) => ['sms', [], [], namesOperators] as const) },
);

/**
 * Puts off deliveries of paused and canceled messages for good, so that they are not found again and again. The lock on
 * the message keeps it from being resumed meanwhile, and a later resume finds them.
 */
const hold = command(
  (deliveries: readonly Pick<FoundDelivery, 'id' | 'messageId'>[]) => sql`
    WITH held AS MATERIALIZED (
      SELECT id FROM message WHERE id = ANY (${messageIdsOf(deliveries)}::uuid[]) AND ${isPausedOrCanceled}
      ORDER BY id FOR SHARE)
    UPDATE delivery SET next_attempt_at = 'infinity' WHERE id = ANY (ARRAY(
      SELECT id FROM delivery WHERE id = ANY (${deliveries.map(({ id }) => id)}::uuid[]) AND state::text = 'queued'
        AND message_id = ANY (ARRAY(SELECT id FROM held))
      ORDER BY id FOR UPDATE SKIP LOCKED))`,
);

/** Finds deliveries to submit; those of suspended organisations are held. Claims are made in submit/. */
@Injectable()
export class DueRepository {
  constructor(
    private readonly database: Database,
    @Inject(Providers) private readonly providers: Pick<Providers, 'namesOperators'>,
  ) {}

  /** The organisations with overdue deliveries; the one that waits longest comes first. */
  findOverdue(trafficClass: TrafficClass): Promise<RowOf<typeof findOverdue>[]> {
    return this.database.run(findOverdue, trafficClass);
  }

  /** Due and new deliveries, without those in `except`: of each organisation the oldest `limit`, oldest first. */
  findDue(
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    limit: number,
    except: readonly string[] = [],
  ): Promise<FoundDelivery[]> {
    const { namesOperators } = this.providers;
    return this.database.run(findDue, trafficClass, organisationIds, limit, except, namesOperators);
  }

  /** A due delivery that a worker may have died of, without those in `except`. */
  async findSuspect(except: readonly string[]): Promise<FoundDelivery | undefined> {
    const [suspect] = await this.database.run(findSuspect, except, this.providers.namesOperators);
    return suspect;
  }

  /** Puts off the deliveries whose message is paused or canceled, until it is resumed. */
  async hold(deliveries: readonly FoundDelivery[]): Promise<void> {
    await this.database.run(hold, deliveries);
  }

  /** The deliveries of these ids that no worker has claimed yet. */
  findNew(
    trafficClass: TrafficClass,
    organisationIds: readonly string[],
    ids: readonly string[],
  ): Promise<FoundDelivery[]> {
    return this.database.run(findNew, trafficClass, organisationIds, ids, this.providers.namesOperators);
  }
}
