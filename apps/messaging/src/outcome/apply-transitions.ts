import { refundDeliveries } from '@gangan/billing';
import { organisationsWithEndpoints, recordCallbacks } from '@gangan/callbacks';
import { erasedNumber } from '@gangan/contracts';
import {
  type Channel,
  type Database,
  type DeliveryState,
  type RowOf,
  type Sql,
  sql,
  statement,
  t,
  unnest,
} from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { type NewOptOut, storeOptOuts } from '../opt-outs/store-opt-outs.js';
import { messageCallback } from './message-callback.js';
import { isFailed, makeOtpsDue, otpCallbacksOf } from './otp-event.js';
import type { TrafficClass } from './retry/retry-policy.js';
import { addPolls } from './delivery-polls.js';
import { hasConflict, type ReferenceConflict, storeReferences } from './provider-references.js';
import { optedOut } from './reasons.js';
import { type Change, rank, type Transition } from './transition.js';
import { isOwnCost, storeReportedCosts } from './reported-costs.js';

/** The time until the providers in `quiet_by` take the delivery; null if there are none. */
export const quietMs = sql`CASE WHEN quiet_by IS NOT NULL AND quiet_until > now()
  THEN extract(epoch FROM quiet_until - now())::float8 * 1000 END`;

/** The columns that a transition depends on. */
export const snapshotShape = {
  id: t.uuid,
  organisationId: t.uuid,
  trafficClass: t.enumOf<TrafficClass>('delivery_lane'),
  state: t.enumOf<DeliveryState>('delivery_state'),
  attempt: t.int,
  ageMs: t.float,
  outcomeUnknown: t.bool,
  unansweredElsewhere: t.bool,
  quietMs: t.nullable(t.float),
};

export const snapshotColumns = sql`
  id, organisation_id AS "organisationId", lane AS "trafficClass", state, attempt,
  extract(epoch FROM now() - coalesce(send_at, created_at))::float8 * 1000 AS "ageMs", state = 'submitting' AS "outcomeUnknown",
  unanswered_by IS NOT NULL AS "unansweredElsewhere", ${quietMs} AS "quietMs"`;

export type StoredSnapshot = RowOf<{ readonly shape: typeof snapshotShape }>;

/** When the current attempt of a delivery began, while its lease runs: the lease counts from the claim, or its renewal. */
export const attemptStartedAt = (leaseMs: number, delivery = sql`delivery`): Sql => sql`
  greatest(${delivery}.created_at, ${delivery}.next_attempt_at - ${leaseMs}::float8 * interval '1 millisecond')`;

export interface Applied {
  readonly deliveries: readonly ChangedDelivery[];
  /** The callbacks to announce after the commit. */
  readonly callbackIds: readonly string[];
  readonly conflicts: readonly ReferenceConflict[];
}

export interface ChangedDelivery extends RowOf<typeof updateDeliveries> {
  /** The time until the delivery is due again; absent in a final state. */
  readonly delayMs: number | undefined;
  readonly notify: boolean;
}

/** Applies changes with their callbacks and refunds in one transaction, to deliveries that have not changed since. */
export function applyTransitions(
  database: Database,
  transitions: readonly Transition[],
  leaseMs: number,
): Promise<Applied> {
  // All transactions lock rows in the order of ids, so they cannot deadlock.
  const ordered = transitions.toSorted((one, other) => (one.delivery.id < other.delivery.id ? -1 : 1));
  const changes = new Map(ordered.map((each) => [each.delivery.id, each]));
  return database.transaction(async (transaction) => {
    const rows = await transaction.run(updateDeliveries, ordered, leaseMs);
    const conflicts = await storeReferences(transaction, ordered, rows);
    const changed = new Set(rows.map(({ id }) => id));
    await addPolls(
      transaction,
      ordered.filter(({ delivery }) => changed.has(delivery.id)),
    );
    const deliveries = rows.map((row) => {
      const { delayMs, notify = false } = changes.get(row.id)?.change ?? {};
      return { delayMs, notify, ...row };
    });
    const callbacks = deliveries.flatMap((delivery) =>
      delivery.otpId === null
        ? callbacksOf(delivery)
        : otpCallbacksOf(delivery, changes.get(delivery.id)?.delivery.state ?? 'queued'),
    );
    const callbackIds = await recordCallbacks(transaction, callbacks);
    const optOuts = deliveries.flatMap((delivery) => optOutOf(delivery, changes.get(delivery.id)?.change));
    callbackIds.push(...(await storeOptOuts(transaction, optOuts)));
    const failedOtps = deliveries.flatMap(({ otpId, state }) =>
      otpId !== null && isFailed(state) ? [otpId] : [],
    );
    if (failedOtps.length > 0) await transaction.run(makeOtpsDue, failedOtps);
    // The condition on state and attempt lets each refund through once. Last, because it locks wallets.
    await refundDeliveries(
      transaction,
      deliveries.filter(({ refunded }) => refunded),
    );
    return { deliveries, callbackIds, conflicts };
  });
}

const changeRow = ({ delivery: { id, attempt, state: fromState }, change, routeId }: Transition) => ({
  id,
  attempt,
  fromState,
  routeId,
  rank: rank[change.state],
  costMicros: change.cost?.micros,
  costCurrency: change.cost?.currency,
  ...change,
  ...change.reason,
});

/** The attempt of the delivery has no row yet: a row is written only when the lease has been released. */
const isFirstSuccess = sql`(
  change.is_first_success AND delivery.lease_holder IS NOT NULL AND delivery.provider IS NOT NULL)`;

/**
 * Stores the changes, and the attempts that they end. A first attempt that its provider accepts while its lease runs is
 * stored in the delivery; it already has a row if its worker died during it, or if its outcome was unknown at first. A text
 * is kept while the delivery may be submitted: that of an OTP not after its end. An outcome shows that the worker survived
 * the attempt, so `worker_deaths` is reset.
 *
 * The rows are locked in the order of the changes. No condition can be hashed or merged, so the only plan looks them up one
 * by one. If another transaction has changed a row meanwhile, the conditions are checked again, and `old` is its new version.
 */
const updateDeliveries = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    trafficClass: t.enumOf<TrafficClass>('delivery_lane'),
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
    channel: t.enumOf<Channel>('channel'),
    recipient: t.text,
    recipientGiven: t.text,
    state: t.enumOf<DeliveryState>('delivery_state'),
    kobo: t.bigint,
    refunded: t.bool,
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
    /** The callback URL of the message. */
    callbackUrl: t.nullable(t.text),
    externalRef: t.nullable(t.text),
    /** The id of the request that created the message or OTP. */
    requestId: t.nullable(t.text),
    hasEndpoints: t.bool,
    provider: t.nullable(t.text),
    attempt: t.int,
    /** Whether this was a first attempt, which is stored in the delivery alone. */
    isFirstSuccess: t.bool,
    /** Whether the provider has already returned the reference of such an attempt for another message. */
    hasConflict: t.bool,
  },
  (transitions: readonly Transition[], leaseMs: number) => {
    const ids = transitions.map(({ delivery }) => delivery.id);
    const hasReportedCosts = transitions.some(({ change }) => change.reportedAttempt !== undefined);
    const organisationIds = new Set(transitions.map(({ delivery }) => delivery.organisationId));
    const subscribed = organisationsWithEndpoints([...organisationIds]);
    return sql`
    WITH change AS MATERIALIZED (
      SELECT given.*, given.outcome = 'accepted' AND given.from_state = 'submitting' AND given.attempt = 1 AND (
        SELECT true FROM delivery_attempt WHERE delivery_id = given.id AND attempt = 1 LIMIT 1) IS NULL AS is_first_success
      FROM ${unnest('given', transitions.map(changeRow), {
        uuid: ['id', 'routeId'],
        int: ['attempt', 'rank', 'reportedAttempt'],
        delivery_state: ['fromState', 'state'],
        text: ['outcome', 'providerReference', 'code', 'message', 'costCurrency'],
        bigint: ['costMicros'],
        float8: ['delayMs', 'heldMs', 'quietMs'],
        bool: ['refund', 'neverSubmittedAgain', 'refusedForGood'],
      })}
    ), changed AS (
      UPDATE delivery SET state = change.state, refunded = change.refund, lease_holder = NULL,
        next_attempt_at = ${dueNow} + change.delay_ms * interval '1 millisecond',
        worker_deaths = CASE WHEN change.outcome IS NULL OR change.never_submitted_again IS TRUE
          THEN delivery.worker_deaths ELSE 0 END,
        refused_by = CASE WHEN change.refused_for_good THEN array_append(delivery.refused_by, delivery.provider)
          ELSE delivery.refused_by END,
        quiet_by = CASE WHEN change.quiet_ms IS NULL THEN delivery.quiet_by
          WHEN delivery.quiet_until > now() THEN array_append(delivery.quiet_by, delivery.provider)
          ELSE ARRAY[delivery.provider] END,
        quiet_until = CASE WHEN change.quiet_ms IS NULL THEN delivery.quiet_until ELSE least(
          CASE WHEN delivery.quiet_until > now() THEN delivery.quiet_until END,
          ${dueNow} + change.quiet_ms * interval '1 millisecond') END,
        send_at = CASE WHEN change.held_ms IS NULL THEN delivery.send_at
          ELSE coalesce(delivery.send_at, delivery.created_at) + change.held_ms * interval '1 millisecond' END,
        resolution = CASE WHEN change.state = 'submitting' OR delivery.resolution = 'keep' THEN delivery.resolution END,
        provider_reference = coalesce(change.provider_reference, delivery.provider_reference),
        route_id = CASE WHEN ${isFirstSuccess} THEN change.route_id ELSE delivery.route_id END,
        submitted_at = CASE WHEN ${isFirstSuccess} THEN ${attemptStartedAt(leaseMs)} ELSE delivery.submitted_at END,
        accepted_at = CASE WHEN ${isFirstSuccess} THEN now() ELSE delivery.accepted_at END,
        cost_micros = CASE WHEN ${isFirstSuccess} OR ${isOwnCost(sql`change`)} THEN change.cost_micros
          ELSE delivery.cost_micros END,
        cost_currency = CASE WHEN ${isFirstSuccess} OR ${isOwnCost(sql`change`)} THEN change.cost_currency
          ELSE delivery.cost_currency END,
        cost_reported = CASE WHEN ${isOwnCost(sql`change`)} AND change.cost_micros IS NOT NULL THEN true
          ELSE delivery.cost_reported END,
        error_code = CASE WHEN change.rank = 0 THEN coalesce(change.code, delivery.error_code) ELSE change.code END,
        error_message = CASE WHEN change.rank = 0 THEN coalesce(change.message, delivery.error_message)
          ELSE change.message END,
        sealed_body = CASE WHEN change.rank = 0 THEN
          CASE WHEN delivery.lane <> 'otp' THEN delivery.sealed_body
            WHEN change.never_submitted_again IS NOT TRUE THEN (
              SELECT delivery.sealed_body FROM otp
              WHERE otp.id = delivery.otp_id AND otp.status = 1 AND otp.expires_at > now()) END END,
        updated_at = CASE WHEN change.rank = 0 THEN delivery.updated_at ELSE now() END
      FROM change
      WHERE delivery.id = ANY (ARRAY[change.id]) AND delivery.attempt IS NOT DISTINCT FROM change.attempt
        AND delivery.state IS NOT DISTINCT FROM change.from_state
      RETURNING delivery.id, delivery.organisation_id, delivery.lane, delivery.message_id, delivery.otp_id, delivery.channel,
        delivery.recipient, delivery.recipient_given, delivery.state, delivery.charge_kobo, delivery.refunded,
        delivery.error_code, delivery.error_message, delivery.created_at, delivery.updated_at,
        delivery.provider, delivery.provider_reference, delivery.attempt, ${attemptStartedAt(leaseMs, sql`old`)} AS started_at, change.from_state,
        change.outcome, change.code, change.message, change.route_id, change.cost_micros, change.cost_currency,
        change.reported_attempt,
        change.from_state = 'submitting' AND delivery.accepted_at IS NOT NULL AS is_first_success
    ), ended AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, route_id, provider, started_at, outcome, error_code,
        error_message, cost_micros, cost_currency, ended_at)
      SELECT id, attempt, route_id, provider, started_at, outcome, code, message, cost_micros, cost_currency,
        CASE WHEN outcome IS NOT NULL THEN now() END
      FROM changed WHERE from_state = 'submitting' AND provider IS NOT NULL AND NOT is_first_success
      ON CONFLICT (delivery_id, attempt) DO UPDATE SET outcome = excluded.outcome, error_code = excluded.error_code,
        error_message = excluded.error_message, cost_micros = excluded.cost_micros,
        cost_currency = excluded.cost_currency, ended_at = excluded.ended_at,
        route_id = coalesce(excluded.route_id, delivery_attempt.route_id)
      WHERE excluded.outcome IS NOT NULL)${hasReportedCosts ? sql`, ${storeReportedCosts(sql`changed`, ids)}` : sql``}
    SELECT changed.id, organisation_id AS "organisationId", lane AS "trafficClass", message_id AS "messageId",
      otp_id AS "otpId", channel, recipient, recipient_given AS "recipientGiven", state, charge_kobo AS kobo, refunded,
      error_code AS "errorCode", error_message AS "errorMessage", created_at AS "createdAt", updated_at AS "updatedAt",
      sent.callback_url AS "callbackUrl", sent.external_ref AS "externalRef",
      organisation_id = ANY (${subscribed}) AS "hasEndpoints", provider, attempt,
      coalesce(sent.request_id, (SELECT otp.request_id FROM otp WHERE otp.id = otp_id)) AS "requestId",
      is_first_success AS "isFirstSuccess", is_first_success AND ${hasConflict} AS "hasConflict"
    FROM changed LEFT JOIN LATERAL (
      SELECT callback_url, external_ref, request_id FROM message WHERE id = changed.message_id LIMIT 1) sent ON true`;
  },
  {
    samples: [
      [[sampleOf(undefined)], 4],
      [[sampleOf(1)], 4],
    ],
  },
);

function sampleOf(reportedAttempt: number | undefined): Transition {
  return {
    delivery: { id: '', organisationId: '', attempt: 1, state: 'sent' },
    change: { state: 'delivered', refund: false, notify: true, reportedAttempt },
    routeId: null,
  };
}

/** A provider says that the recipient has told it to stop. Deliveries that our own opt-outs block are `rejected`. */
function optOutOf(
  { organisationId, channel, recipient: phone, requestId }: ChangedDelivery,
  change: Change | undefined,
): NewOptOut[] {
  if (change?.reason?.code !== optedOut.code || change.state === 'rejected' || phone === erasedNumber)
    return [];
  const id = newId();
  const createdAt = new Date();
  return [{ id, organisationId, channel, phone, source: 'message', createdAt, requestId: requestId ?? id }];
}

function callbacksOf(delivery: ChangedDelivery) {
  const {
    messageId: id,
    organisationId,
    state,
    callbackUrl,
    hasEndpoints,
    externalRef,
    requestId,
    notify,
  } = delivery;
  if (id === null || requestId === null) return [];
  if (!notify || (callbackUrl === null && !hasEndpoints)) return [];
  // Deliveries that are canceled are reported together, with their message.
  if (state === 'queued' || state === 'submitting' || state === 'canceled') return [];
  const message = { id, organisationId, callbackUrl, hasEndpoints, externalRef, requestId };
  return [messageCallback(`message.${state}`, { ...delivery, state }, message)];
}
