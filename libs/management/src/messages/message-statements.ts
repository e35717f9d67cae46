import { columnsOf, deliveryAttempts, isQuiet, Prisma, sql, statement, t } from '@gangan/database';

/** More deliveries or callbacks than these are only counted. */
export const maxShown = 20;

export const countStates = statement(
  { state: t.enumOf('delivery_state'), deliveries: t.int, charge: t.bigint, refunded: t.bigint },
  (messageId: string) => sql`
    SELECT state, count(*)::int AS deliveries, sum(charge_kobo)::bigint AS charge,
      coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::bigint AS refunded
    FROM delivery WHERE message_id = ${messageId}::uuid GROUP BY state ORDER BY state`,
);

const deliveryShape = {
  recipient: t.text,
  id: t.uuid,
  state: t.enumOf('delivery_state'),
  reason: t.from(sql`CASE WHEN ${isQuiet} THEN 'quiet_hours' ELSE error_code END`, t.nullable(t.text)),
  provider: t.nullable(t.text),
  attempts: t.from('attempt', t.int),
  refunded: t.bool,
  /** What an operator decided about it, because it got no answer. */
  resolution: t.nullable(t.text),
  created: t.from('created_at', t.timestamp),
  send_at: t.nullable(t.timestamp),
  next_attempt: t.from(sql`CASE WHEN state <> 'sent' THEN next_attempt_at END`, t.nullable(t.timestamp)),
  last_change: t.from('updated_at', t.nullable(t.timestamp)),
};

interface Recipient {
  readonly organisationId: string;
  /** E.164. */
  readonly phone: string;
}

/** Not in an order: for one, the planner could read the whole table by its primary key. */
export const findDeliveries = statement(
  deliveryShape,
  (messageId: string, only?: Recipient) => sql`
    SELECT ${columnsOf(deliveryShape)} FROM delivery
    WHERE message_id = ${messageId}::uuid
      ${only ? sql`AND organisation_id = ${only.organisationId}::uuid AND recipient = ${only.phone}` : Prisma.empty}
    LIMIT ${maxShown + 1}`,
  { samples: [['x'], ['x', { organisationId: 'x', phone: 'x' }]] },
);

/** In this statement, and in those of reports and clicks, `recipient` is the id of the delivery. */
export const findAttempts = statement(
  {
    recipient: t.uuid,
    attempt: t.int,
    provider: t.text,
    started: t.timestamp,
    ended: t.nullable(t.timestamp),
    outcome: t.text,
    code: t.nullable(t.text),
    message: t.nullable(t.text),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT delivery_id AS recipient, attempt, provider, started_at AS started, ended_at AS ended,
      coalesce(outcome, 'unknown') AS outcome, error_code AS code, error_message AS message
    FROM ${deliveryAttempts} AS made WHERE delivery_id = ANY (${deliveryIds}::uuid[]) ORDER BY delivery_id, attempt`,
);

export const findReports = statement(
  {
    recipient: t.uuid,
    attempt: t.int,
    provider: t.text,
    reference: t.text,
    part: t.int,
    state: t.nullable(t.text),
    code: t.nullable(t.text),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT delivery_id AS recipient, attempt, provider, reference, part::int, state::text, error_code AS code
    FROM provider_reference WHERE delivery_id = ANY (${deliveryIds}::uuid[])
    UNION ALL
    SELECT id, attempt, provider, provider_reference, 1, NULL, NULL FROM delivery
    WHERE id = ANY (${deliveryIds}::uuid[]) AND coalesce(provider_reference, '') <> '' AND NOT EXISTS (
      SELECT FROM provider_reference named WHERE named.delivery_id = delivery.id AND named.attempt = delivery.attempt)
    ORDER BY recipient, attempt, part`,
);

export const countCallbacks = statement(
  { type: t.text, state: t.text, callbacks: t.int },
  (messageId: string, organisationId: string) => sql`
    SELECT type, state::text, count(*)::int AS callbacks FROM callback
    WHERE organisation_id = ${organisationId}::uuid AND resource_id = ${messageId}::uuid
    GROUP BY type, callback.state ORDER BY type, callback.state`,
);

export const findClicks = statement(
  { recipient: t.uuid, link: t.int, time: t.timestamp },
  (deliveryIds: readonly string[]) => sql`
    SELECT link.delivery_id AS recipient, link.position AS link, click.clicked_at AS time
    FROM tracked_link link JOIN link_click click ON click.code = link.code
    WHERE link.delivery_id = ANY (${deliveryIds}::uuid[]) ORDER BY click.id LIMIT 100`,
);
