import { refund } from '@gangan/billing';
import { organisationsWithEndpoints, recordCallbacks } from '@gangan/callbacks';
import {
  type Channel,
  type Database,
  type DeliveryState,
  type RowOf,
  type Sql,
  sql,
  statement,
  type Statements,
  t,
  unnest,
} from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { messageCallback } from './message-callback.js';
import { isFailed, makeOtpsDue, otpCallbacksOf } from './otp-event.js';
import type { TrafficClass } from './retry-policy.js';
import { type ReferenceConflict, storeReferences } from './provider-references.js';
import { type Change, rank } from './transition.js';

/** The columns that a transition depends on. */
export const snapshotShape = {
  id: t.uuid,
  organisationId: t.uuid,
  trafficClass: t.enumOf<TrafficClass>('delivery_lane'),
  state: t.enumOf<DeliveryState>('delivery_state'),
  attempt: t.int,
  ageMs: t.float,
  outcomeUnknown: t.bool,
};

export const snapshotColumns = sql`
  id, organisation_id AS "organisationId", lane AS "trafficClass", state, attempt,
  extract(epoch FROM now() - coalesce(send_at, created_at))::float8 * 1000 AS "ageMs", state = 'submitting' AS "outcomeUnknown"`;

export type StoredSnapshot = RowOf<{ readonly shape: typeof snapshotShape }>;

/** When the current attempt of a delivery began, while its lease runs: the lease counts from the claim, or its renewal. */
export const attemptStartedAt = (leaseMs: number): Sql =>
  sql`greatest(created_at, next_attempt_at - ${leaseMs}::float8 * interval '1 millisecond')`;

/** A change, and the delivery in the state that it was decided for. */
export interface Transition {
  readonly delivery: Pick<StoredSnapshot, 'id' | 'organisationId' | 'attempt' | 'state'>;
  readonly change: Change;
  /** The route of the attempt that it ends. */
  readonly routeId: string | null;
}

export interface Applied {
  readonly deliveries: readonly ChangedDelivery[];
  /** To announce after the commit. */
  readonly callbackIds: readonly string[];
  readonly conflicts: readonly ReferenceConflict[];
}

export interface ChangedDelivery extends RowOf<typeof updateDeliveries> {
  /** The time until it is due again; absent in a final state. */
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
    const conflicts = await storeReferences(transaction, ordered);
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
    const failedOtps = deliveries.flatMap(({ otpId, state }) =>
      otpId !== null && isFailed(state) ? [otpId] : [],
    );
    if (failedOtps.length > 0) await transaction.run(makeOtpsDue, failedOtps);
    // Last, because it locks wallets.
    await refundCharges(
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

/**
 * Stores the changes, and the attempts that they end. An attempt already has a row if its worker died during it, or if its
 * outcome was unknown at first. A text is kept while the delivery may be submitted: that of an OTP not after its end. An
 * outcome shows that the worker survived the attempt, so `worker_deaths` is reset.
 */
const updateDeliveries = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    trafficClass: t.enumOf<TrafficClass>('delivery_lane'),
    messageId: t.nullable(t.uuid),
    otpId: t.nullable(t.uuid),
    channel: t.enumOf<Channel>('channel'),
    recipientGiven: t.text,
    state: t.enumOf<DeliveryState>('delivery_state'),
    kobo: t.bigint,
    refunded: t.bool,
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    createdAt: t.timestamp,
    updatedAt: t.nullable(t.timestamp),
    /** Of the message. */
    callbackUrl: t.nullable(t.text),
    externalRef: t.nullable(t.text),
    /** Of the message or OTP. */
    requestId: t.nullable(t.text),
    hasEndpoints: t.bool,
    provider: t.nullable(t.text),
    attempt: t.int,
  },
  (transitions: readonly Transition[], leaseMs: number) => {
    const organisationIds = new Set(transitions.map(({ delivery }) => delivery.organisationId));
    const subscribed = organisationsWithEndpoints([...organisationIds]);
    return sql`
    WITH change AS MATERIALIZED (
      SELECT * FROM ${unnest('given', transitions.map(changeRow), {
        uuid: ['id', 'routeId'],
        int: ['attempt', 'rank'],
        delivery_state: ['fromState', 'state'],
        text: ['outcome', 'providerReference', 'code', 'message', 'costCurrency'],
        bigint: ['costMicros'],
        float8: ['delayMs'],
        bool: ['refund', 'neverSubmittedAgain'],
      })}
    ), locked AS MATERIALIZED (
      SELECT change.*, held.provider, held.started_at, held.has_endpoints, sent.* FROM change CROSS JOIN LATERAL (
        SELECT message_id, provider, ${attemptStartedAt(leaseMs)} AS started_at,
          organisation_id = ANY (${subscribed}) AS has_endpoints
        FROM delivery
        WHERE id = change.id AND attempt = change.attempt AND state = change.from_state
        LIMIT 1 FOR UPDATE) held
      LEFT JOIN LATERAL (
        SELECT callback_url, external_ref, request_id FROM message WHERE id = held.message_id LIMIT 1) sent ON true
    ), ended AS (
      INSERT INTO delivery_attempt (delivery_id, attempt, route_id, provider, started_at, outcome, error_code,
        error_message, cost_micros, cost_currency, ended_at)
      SELECT id, attempt, route_id, provider, started_at, outcome, code, message, cost_micros, cost_currency,
        CASE WHEN outcome IS NOT NULL THEN now() END
      FROM locked WHERE from_state = 'submitting' AND provider IS NOT NULL
      ON CONFLICT (delivery_id, attempt) DO UPDATE SET outcome = excluded.outcome, error_code = excluded.error_code,
        error_message = excluded.error_message, cost_micros = excluded.cost_micros,
        cost_currency = excluded.cost_currency, ended_at = excluded.ended_at,
        route_id = coalesce(excluded.route_id, delivery_attempt.route_id)
      WHERE excluded.outcome IS NOT NULL)
    UPDATE delivery SET state = locked.state, refunded = locked.refund, lease_holder = NULL,
      next_attempt_at = ${dueNow} + locked.delay_ms * interval '1 millisecond',
      worker_deaths = CASE WHEN locked.outcome IS NULL OR locked.never_submitted_again IS TRUE
        THEN delivery.worker_deaths ELSE 0 END,
      provider_reference = coalesce(locked.provider_reference, delivery.provider_reference),
      error_code = CASE WHEN locked.rank = 0 THEN coalesce(locked.code, delivery.error_code) ELSE locked.code END,
      error_message = CASE WHEN locked.rank = 0 THEN coalesce(locked.message, delivery.error_message)
        ELSE locked.message END,
      sealed_body = CASE WHEN locked.rank = 0 THEN
        CASE WHEN delivery.lane <> 'otp' THEN delivery.sealed_body
          WHEN locked.never_submitted_again IS NOT TRUE THEN (
            SELECT delivery.sealed_body FROM otp
            WHERE otp.id = delivery.otp_id AND otp.status = 1 AND otp.expires_at > now()) END END,
      updated_at = CASE WHEN locked.rank = 0 THEN delivery.updated_at ELSE now() END
    FROM locked
    WHERE delivery.id = ANY (${transitions.map(({ delivery }) => delivery.id)}::uuid[]) AND delivery.id = locked.id
    RETURNING delivery.id, delivery.organisation_id AS "organisationId", delivery.lane AS "trafficClass",
      delivery.message_id AS "messageId", delivery.otp_id AS "otpId", delivery.channel,
      delivery.recipient_given AS "recipientGiven", delivery.state, delivery.charge_kobo AS kobo, delivery.refunded,
      delivery.error_code AS "errorCode", delivery.error_message AS "errorMessage",
      delivery.created_at AS "createdAt", delivery.updated_at AS "updatedAt",
      locked.callback_url AS "callbackUrl", locked.external_ref AS "externalRef", locked.has_endpoints AS "hasEndpoints",
      delivery.provider, delivery.attempt,
      coalesce(locked.request_id, (SELECT otp.request_id FROM otp WHERE otp.id = delivery.otp_id)) AS "requestId"`;
  },
);

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

/** The condition on state and attempt lets each refund through once. If the ledger has it, everything is rolled back. */
async function refundCharges(transaction: Statements, deliveries: readonly ChangedDelivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  // The first delivery of an OTP has its id; each further one is charged by itself.
  const members = deliveries.map(({ id, organisationId, kobo, messageId }) => ({
    subjectId: id,
    organisationId,
    kobo,
    chargeId: messageId ?? id,
  }));
  const receipts = await refund(transaction, members);
  const unmoved = members.find((_, index) => receipts[index]?.moved !== true);
  if (unmoved) throw new Error(`Delivery ${unmoved.subjectId} has been refunded before`);
}
