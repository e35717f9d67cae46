import { type Database, deliveryAttempts, isQuiet, sql, statement, t } from '@gangan/database';

/** More than these are only counted. */
export const maxShown = 20;

export const findMessage = statement(
  {
    id: t.uuid,
    organisationId: t.uuid,
    organisation: t.text,
    channel: t.text,
    category: t.nullable(t.text),
    sender: t.text,
    requestId: t.text,
    recipients: t.int,
    smartlistId: t.nullable(t.uuid),
    templateId: t.nullable(t.text),
    replyTo: t.nullable(t.uuid),
    externalRef: t.nullable(t.text),
    callbackUrl: t.nullable(t.text),
    encoding: t.text,
    length: t.int,
    pages: t.int,
    chargeKobo: t.bigint,
    content: t.nullable(t.text),
    personalisation: t.nullable(t.json<object>()),
    sealedText: t.nullable(t.bytes),
    sendAt: t.nullable(t.timestamp),
    pausedAt: t.nullable(t.timestamp),
    canceledAt: t.nullable(t.timestamp),
    createdAt: t.timestamp,
    pendingChange: t.nullable(t.text),
    listState: t.nullable(t.text),
    listRows: t.nullable(t.int),
    listError: t.nullable(t.text),
  },
  (id: string) => sql`
    SELECT message.id, message.organisation_id AS "organisationId", account.name || '/' || organisation.mode AS organisation,
      message.channel::text, category, sender, request_id AS "requestId", cardinality(message.recipients) AS recipients,
      smartlist_id AS "smartlistId", template_id AS "templateId", reply_to AS "replyTo", external_ref AS "externalRef",
      callback_url AS "callbackUrl", encoding, length, pages, message.charge_kobo AS "chargeKobo", content,
      personalisation, sealed_text AS "sealedText", send_at AS "sendAt", paused_at AS "pausedAt",
      canceled_at AS "canceledAt", message.created_at AS "createdAt",
      (SELECT action::text FROM message_change WHERE message_id = message.id) AS "pendingChange",
      expansion.state::text AS "listState", expansion.rows AS "listRows", expansion.error_message AS "listError"
    FROM message JOIN organisation ON organisation.id = message.organisation_id
    JOIN account ON account.id = organisation.account_id
    LEFT JOIN message_expansion expansion ON expansion.message_id = message.id
    WHERE message.id = ${id}::uuid`,
);

const countStates = statement(
  { state: t.text, deliveries: t.bigint, chargeKobo: t.bigint, refundedKobo: t.bigint },
  (messageId: string) => sql`
    SELECT state::text, count(*) AS deliveries, sum(charge_kobo)::bigint AS "chargeKobo",
      coalesce(sum(charge_kobo) FILTER (WHERE refunded), 0)::bigint AS "refundedKobo"
    FROM delivery WHERE message_id = ${messageId}::uuid GROUP BY delivery.state ORDER BY delivery.state`,
);

const deliveryShape = {
  id: t.uuid,
  recipient: t.text,
  recipientGiven: t.text,
  state: t.text,
  attempt: t.int,
  provider: t.nullable(t.text),
  errorCode: t.nullable(t.text),
  refunded: t.bool,
  /** What an operator decided about it, because it got no answer. */
  resolution: t.nullable(t.text),
  sendAt: t.nullable(t.timestamp),
  nextAttemptAt: t.nullable(t.timestamp),
  createdAt: t.timestamp,
  updatedAt: t.nullable(t.timestamp),
};

const deliveryColumns = sql`id, recipient, recipient_given AS "recipientGiven", state::text, attempt, provider,
  CASE WHEN ${isQuiet} THEN 'quiet_hours' ELSE error_code END AS "errorCode", refunded, resolution,
  send_at AS "sendAt", next_attempt_at AS "nextAttemptAt",
  created_at AS "createdAt", updated_at AS "updatedAt"`;

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

const findAttempts = statement(
  {
    deliveryId: t.uuid,
    attempt: t.int,
    provider: t.text,
    outcome: t.nullable(t.text),
    errorCode: t.nullable(t.text),
    errorMessage: t.nullable(t.text),
    startedAt: t.timestamp,
    endedAt: t.nullable(t.timestamp),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT delivery_id AS "deliveryId", attempt, provider, outcome, error_code AS "errorCode",
      error_message AS "errorMessage", started_at AS "startedAt", ended_at AS "endedAt"
    FROM ${deliveryAttempts} AS made WHERE delivery_id = ANY (${deliveryIds}::uuid[]) ORDER BY delivery_id, attempt`,
);

const findReferences = statement(
  {
    deliveryId: t.uuid,
    attempt: t.int,
    provider: t.text,
    reference: t.text,
    part: t.int,
    state: t.nullable(t.text),
    errorCode: t.nullable(t.text),
  },
  (deliveryIds: readonly string[]) => sql`
    SELECT delivery_id AS "deliveryId", attempt, provider, reference, part::int, state::text, error_code AS "errorCode"
    FROM provider_reference WHERE delivery_id = ANY (${deliveryIds}::uuid[])
    UNION ALL
    SELECT id, attempt, provider, provider_reference, 1, NULL, NULL FROM delivery
    WHERE id = ANY (${deliveryIds}::uuid[]) AND coalesce(provider_reference, '') <> '' AND NOT EXISTS (
      SELECT FROM provider_reference named WHERE named.delivery_id = delivery.id AND named.attempt = delivery.attempt)
    ORDER BY "deliveryId", attempt, part`,
);

const findLedger = statement(
  { subjectId: t.uuid, kind: t.text, kobo: t.bigint, note: t.nullable(t.text), createdAt: t.timestamp },
  (subjectIds: readonly string[]) => sql`
    SELECT subject_id AS "subjectId", kind::text, CASE to_account WHEN 'wallet' THEN kobo ELSE -kobo END AS kobo, note,
      created_at AS "createdAt"
    FROM ledger_movement
    WHERE subject_id = ANY (${subjectIds}::uuid[]) AND 'wallet' IN (from_account, to_account) ORDER BY created_at, id`,
);

const countCallbacks = statement(
  { type: t.text, state: t.text, callbacks: t.bigint },
  (messageId: string, organisationId: string) => sql`
    SELECT type, state::text, count(*) AS callbacks FROM callback
    WHERE organisation_id = ${organisationId}::uuid AND resource_id = ${messageId}::uuid
    GROUP BY type, callback.state ORDER BY type, callback.state`,
);

/** @param recipient as the caller wrote it; the body of a callback has it */
const findCallbacks = statement(
  {
    id: t.uuid,
    type: t.text,
    host: t.text,
    endpointId: t.nullable(t.uuid),
    state: t.text,
    attempt: t.int,
    nextAttemptAt: t.nullable(t.timestamp),
    createdAt: t.timestamp,
    endedAt: t.nullable(t.timestamp),
  },
  (messageId: string, organisationId: string, recipient: string | null) => sql`
    SELECT id, type, host, endpoint_id AS "endpointId", state::text, attempt, next_attempt_at AS "nextAttemptAt",
      created_at AS "createdAt", ended_at AS "endedAt"
    FROM callback WHERE organisation_id = ${organisationId}::uuid AND resource_id = ${messageId}::uuid
      AND (${recipient}::text IS NULL OR position(to_json(${recipient}::text)::text IN body) > 0)
    LIMIT ${maxShown + 1}`,
);

const findCallbackAttempts = statement(
  {
    callbackId: t.uuid,
    attempt: t.int,
    status: t.nullable(t.int),
    error: t.nullable(t.text),
    startedAt: t.timestamp,
    endedAt: t.nullable(t.timestamp),
  },
  (callbackIds: readonly string[]) => sql`
    SELECT callback_id AS "callbackId", attempt, status, error, started_at AS "startedAt", ended_at AS "endedAt"
    FROM callback_attempt WHERE callback_id = ANY (${callbackIds}::uuid[]) ORDER BY callback_id, attempt`,
);

const findClicks = statement(
  { deliveryId: t.uuid, position: t.int, clickedAt: t.timestamp },
  (deliveryIds: readonly string[]) => sql`
    SELECT link.delivery_id AS "deliveryId", link.position, click.clicked_at AS "clickedAt"
    FROM tracked_link link JOIN link_click click ON click.code = link.code
    WHERE link.delivery_id = ANY (${deliveryIds}::uuid[]) ORDER BY click.id LIMIT 100`,
);

interface Owned {
  readonly id: string;
  readonly organisationId: string;
}

/**
 * What is stored about a message. Of a large one, or of many callbacks, only the numbers.
 * @param recipient in E.164: only the delivery to this number
 */
export async function readHistory(database: Database, { id, organisationId }: Owned, recipient?: string) {
  const states = await database.run(countStates, id);
  const deliveries = shownOf(
    recipient === undefined
      ? await database.run(findDeliveries, id)
      : await database.run(findDeliveriesTo, id, organisationId, recipient),
  );
  const deliveryIds = deliveries.map((delivery) => delivery.id);
  const given = recipient === undefined ? null : (deliveries[0]?.recipientGiven ?? '');
  const callbackCounts = await database.run(countCallbacks, id, organisationId);
  const callbacks = shownOf(await database.run(findCallbacks, id, organisationId, given));
  return {
    states,
    deliveries,
    attempts: await database.run(findAttempts, deliveryIds),
    references: await database.run(findReferences, deliveryIds),
    ledger: await database.run(findLedger, [id, ...deliveryIds]),
    callbackCounts,
    callbacks,
    callbackAttempts: await database.run(
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
