import { type Database, deliveryAttempts, isQuiet, type RowOf, sql, statement, t } from '@gangan/database';

/** More than these are only counted. */
export const maxShown = 20;

/** A message as operators see it. Its last three columns are the content, which is shown only with an entry in the audit log. */
export const findMessage = statement(
  {
    id: t.uuid,
    organisation: t.text,
    organisation_id: t.uuid,
    request_id: t.text,
    accepted: t.timestamp,
    channel: t.text,
    category: t.nullable(t.text),
    sender: t.text,
    recipients: t.nullable(t.int),
    smartlist: t.nullable(t.uuid),
    smartlist_state: t.nullable(t.text),
    smartlist_rows: t.nullable(t.int),
    smartlist_error: t.nullable(t.text),
    template: t.nullable(t.text),
    reply_to: t.nullable(t.uuid),
    external_ref: t.nullable(t.text),
    /** The rest of the URL may contain a secret. */
    callback_host: t.nullable(t.text),
    encoding: t.text,
    length: t.int,
    pages: t.int,
    charge: t.bigint,
    send_at: t.nullable(t.timestamp),
    paused: t.nullable(t.timestamp),
    canceled: t.nullable(t.timestamp),
    change_in_progress: t.nullable(t.text),
    content: t.nullable(t.text),
    personalisation: t.nullable(t.json<object>()),
    sealedText: t.nullable(t.bytes),
  },
  (id: string) => sql`
    SELECT message.id, account.name || '/' || organisation.mode AS organisation, message.organisation_id, request_id,
      message.created_at AS accepted, message.channel::text, category, sender,
      CASE WHEN smartlist_id IS NULL THEN cardinality(message.recipients) END AS recipients, smartlist_id AS smartlist,
      expansion.state::text AS smartlist_state, expansion.rows AS smartlist_rows,
      expansion.error_message AS smartlist_error, template_id AS template, reply_to, external_ref,
      substring(callback_url FROM '^[a-z]+://(?:[^/?#@]*@)?([^/?#]+)') AS callback_host, encoding, length, pages, message.charge_kobo AS charge, send_at,
      paused_at AS paused, canceled_at AS canceled,
      (SELECT action::text FROM message_change WHERE message_id = message.id) AS change_in_progress,
      content, personalisation, sealed_text AS "sealedText"
    FROM message JOIN organisation ON organisation.id = message.organisation_id
    JOIN account ON account.id = organisation.account_id
    LEFT JOIN message_expansion expansion ON expansion.message_id = message.id
    WHERE message.id = ${id}::uuid`,
);

const countStates = statement(
  { state: t.text, deliveries: t.int, charge: t.bigint, refunded: t.bigint },
  (messageId: string) => sql`
    SELECT state::text, count(*)::int AS deliveries, sum(charge_kobo)::bigint AS charge,
      coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::bigint AS refunded
    FROM delivery WHERE message_id = ${messageId}::uuid GROUP BY delivery.state ORDER BY delivery.state`,
);

const deliveryShape = {
  recipient: t.text,
  id: t.uuid,
  state: t.text,
  reason: t.nullable(t.text),
  provider: t.nullable(t.text),
  attempts: t.int,
  refunded: t.bool,
  /** What an operator decided about it, because it got no answer. */
  resolution: t.nullable(t.text),
  created: t.timestamp,
  send_at: t.nullable(t.timestamp),
  next_attempt: t.nullable(t.timestamp),
  last_change: t.nullable(t.timestamp),
};

const deliveryColumns = sql`recipient, id, state::text,
  CASE WHEN ${isQuiet} THEN 'quiet_hours' ELSE error_code END AS reason, provider, attempt AS attempts, refunded,
  resolution, created_at AS created, send_at, CASE WHEN state <> 'sent' THEN next_attempt_at END AS next_attempt,
  updated_at AS last_change`;

/** Not in an order: for one, the planner could read the whole table by its primary key. */
const findDeliveries = statement(
  deliveryShape,
  (messageId: string) => sql`
    SELECT ${deliveryColumns} FROM delivery WHERE message_id = ${messageId}::uuid LIMIT ${maxShown + 1}`,
);

const findDeliveriesTo = statement(
  deliveryShape,
  (messageId: string, organisationId: string, recipient: string) => sql`
    SELECT ${deliveryColumns} FROM delivery
    WHERE organisation_id = ${organisationId}::uuid AND recipient = ${recipient} AND message_id = ${messageId}::uuid
    LIMIT ${maxShown}`,
);

/** In this statement, and in those of reports and clicks, `recipient` is the id of the delivery. */
const findAttempts = statement(
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

const findReports = statement(
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

const findLedger = statement(
  { time: t.timestamp, kind: t.text, amount: t.bigint, for: t.uuid, note: t.nullable(t.text) },
  (subjectIds: readonly string[]) => sql`
    SELECT created_at AS time, kind::text, CASE to_account WHEN 'wallet' THEN kobo ELSE -kobo END AS amount,
      subject_id AS for, note
    FROM ledger_movement
    WHERE subject_id = ANY (${subjectIds}::uuid[]) AND 'wallet' IN (from_account, to_account) ORDER BY created_at, id`,
);

const countCallbacks = statement(
  { type: t.text, state: t.text, callbacks: t.int },
  (messageId: string, organisationId: string) => sql`
    SELECT type, state::text, count(*)::int AS callbacks FROM callback
    WHERE organisation_id = ${organisationId}::uuid AND resource_id = ${messageId}::uuid
    GROUP BY type, callback.state ORDER BY type, callback.state`,
);

/** @param deliveryId only those whose body has the recipient of this one, as the caller wrote it */
const findCallbacks = statement(
  {
    id: t.uuid,
    type: t.text,
    host: t.text,
    endpoint: t.nullable(t.uuid),
    state: t.text,
    attempts: t.int,
    created: t.timestamp,
    next_attempt: t.nullable(t.timestamp),
    ended: t.nullable(t.timestamp),
  },
  (messageId: string, organisationId: string, deliveryId: string | null) => sql`
    SELECT id, type, host, endpoint_id AS endpoint, state::text, attempt AS attempts, created_at AS created,
      next_attempt_at AS next_attempt, ended_at AS ended
    FROM callback WHERE organisation_id = ${organisationId}::uuid AND resource_id = ${messageId}::uuid
      AND (${deliveryId}::uuid IS NULL OR position(to_json((
        SELECT recipient_given FROM delivery WHERE id = ${deliveryId}::uuid))::text IN body) > 0)
    LIMIT ${maxShown + 1}`,
);

const findCallbackAttempts = statement(
  {
    callback: t.uuid,
    attempt: t.int,
    started: t.timestamp,
    ended: t.nullable(t.timestamp),
    status: t.nullable(t.int),
    error: t.nullable(t.text),
  },
  (callbackIds: readonly string[]) => sql`
    SELECT callback_id AS callback, attempt, started_at AS started, ended_at AS ended, status, error
    FROM callback_attempt WHERE callback_id = ANY (${callbackIds}::uuid[]) ORDER BY callback_id, attempt`,
);

const findClicks = statement(
  { recipient: t.uuid, link: t.int, time: t.timestamp },
  (deliveryIds: readonly string[]) => sql`
    SELECT link.delivery_id AS recipient, link.position AS link, click.clicked_at AS time
    FROM tracked_link link JOIN link_click click ON click.code = link.code
    WHERE link.delivery_id = ANY (${deliveryIds}::uuid[]) ORDER BY click.id LIMIT 100`,
);

/**
 * What is stored about a message, as operators see it. Of a large one, or of many callbacks, only the numbers.
 * @param recipient in E.164: only the delivery to this number
 */
export async function readHistory(
  database: Database,
  { id, organisation_id: organisationId }: Pick<RowOf<typeof findMessage>, 'id' | 'organisation_id'>,
  recipient?: string,
) {
  const deliveries = shownOf(
    recipient === undefined
      ? await database.run(findDeliveries, id)
      : await database.run(findDeliveriesTo, id, organisationId, recipient),
  );
  const deliveryIds = deliveries.map((delivery) => delivery.id);
  const only = recipient === undefined ? null : (deliveryIds[0] ?? null);
  const callbacks = shownOf(await database.run(findCallbacks, id, organisationId, only));
  return {
    ledger: await database.run(findLedger, [id, ...deliveryIds]),
    states: await database.run(countStates, id),
    deliveries,
    attempts: await database.run(findAttempts, deliveryIds),
    reports: await database.run(findReports, deliveryIds),
    callback_states: await database.run(countCallbacks, id, organisationId),
    callbacks,
    callback_attempts: await database.run(
      findCallbackAttempts,
      callbacks.map((callback) => callback.id),
    ),
    clicks: await database.run(findClicks, deliveryIds),
  };
}

/** By id, which is the order of creation; none if there are too many. */
const shownOf = <T extends { readonly id: string }>(rows: readonly T[]): readonly T[] =>
  rows.length > maxShown ? [] : rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));

export type MessageHistory = Awaited<ReturnType<typeof readHistory>>;
