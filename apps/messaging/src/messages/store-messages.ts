import { callbacksAlongside } from '@gangan/callbacks';
import type { MessageCategory, TextSize } from '@gangan/contracts';
import { type Channel, columnNames, isSuspended, type Sql, sql, t, unnest } from '@gangan/database';
import { dueAfter, dueNow, type Lease, leaseGraceMs, leaseUntil } from '@gangan/leases';
import { isScheduled } from '../send-at.js';
import { messageCallback } from '../outcome/message-callback.js';
import { windowClosed } from '../outcome/reasons.js';
import type { InsertClaim } from '../schedule/claim-on-insert/insert-claims.js';
import type { StoredTexts } from '../text/stored-texts.js';
import type { PricedMessage } from './prepare-message.js';

/** A message, and whether its deliveries are claimed when they are inserted. */
export interface MessageToStore {
  readonly organisationId: string;
  readonly message: PricedMessage;
  readonly claim: InsertClaim | undefined;
}

/** Whether the claimed deliveries of the item were inserted now. A condition beside the CTEs of `storeMessages`. */
export const insertedAsClaimed = sql`
  item.subject_id IN (SELECT message_id FROM inserted WHERE state = 'submitting')`;

/** The columns that are stored as they are given. */
export const givenShape = {
  id: t.uuid,
  channel: t.enumOf<Channel>('channel'),
  sender: t.text,
  content: t.nullable(t.text),
  templateId: t.nullable(t.text),
  templateProviderName: t.nullable(t.text),
  templateLanguage: t.nullable(t.text),
  smartlistId: t.nullable(t.uuid),
  replyTo: t.nullable(t.uuid),
  externalRef: t.nullable(t.text),
  category: t.nullable(t.textOf<MessageCategory>()),
  trackable: t.bool,
  callbackUrl: t.nullable(t.text),
  encoding: t.textOf<TextSize['encoding']>(),
  length: t.int,
  pages: t.int,
  createdAt: t.timestamp,
};

const given = columnNames(givenShape);

/** CTEs that run with the charge: they store the paid messages with their deliveries and links. */
export function storeMessages(all: readonly MessageToStore[], texts: StoredTexts): Sql {
  const messages = all.map(({ message }) => message);
  const sealed = messages.map((message) => texts.sealMessage(message));
  const hasTimes = messages.some(({ sendAt }) => sendAt !== null);
  const rows = sealed.map(({ recipients, personalisation, templateVariables, ...message }) => ({
    waitsUntil: isScheduled(message) ? message.sendAt : null,
    recipients: JSON.stringify(recipients),
    templateVariables: JSON.stringify(templateVariables),
    personalisation: personalisation && JSON.stringify(personalisation),
    ...message,
  }));
  const asked = unnest('asked', rows, {
    ...givenShape,
    organisationId: t.uuid,
    requestId: t.text,
    personalisation: t.json(),
    json: ['recipients', 'templateVariables'],
    ...(hasTimes && { timestamptz: ['sendAt', 'waitsUntil'] }),
    ...(texts.seals && { bytea: ['sealedText'] }),
  });
  const sealedText = texts.seals ? sql`, sealed_text` : sql``;
  const sendAt = hasTimes ? sql`, send_at` : sql``;
  return sql`
  asked AS (
    SELECT asked.*, accepted.kobo, accepted.balance FROM ${asked} JOIN accepted ON accepted.subject_id = asked.id
  ), stored AS (
    INSERT INTO message (${given}, organisation_id, recipients, template_variables, personalisation, charge_kobo, balance_kobo,
      request_id${sealedText}${sendAt})
    SELECT ${given}, organisation_id, ARRAY(SELECT json_array_elements_text(recipients)),
      ARRAY(SELECT json_array_elements_text(template_variables)), personalisation, kobo, balance,
      request_id${sealedText}${sendAt}
    FROM asked ON CONFLICT DO NOTHING
  ), ${storeDeliveries(all, hasTimes)}${storeRejected(messages)}${storeLinks(messages, texts)}${storeExpansions(messages, hasTimes)}`;
}

/**
 * A delivery with a provider is inserted as claimed, unless its organisation is suspended.
 * @param hasTimes whether one of the messages has a `send_at`; otherwise the statement is the shorter one
 */
function storeDeliveries(all: readonly MessageToStore[], hasTimes: boolean): Sql {
  const rows = all.flatMap(({ message: { id: messageId, deliveries }, claim }) =>
    deliveries.map((delivery, index) => ({
      messageId,
      provider: claim && index < claim.count ? claim.provider : null,
      ...delivery,
    })),
  );
  const delivery = unnest('delivery', rows, {
    uuid: ['id', 'messageId'],
    text: ['recipient', 'recipientGiven', 'provider'],
    int: ['pages'],
    bigint: ['kobo'],
  });
  const { holder, leaseMs } = all.find(({ claim }) => claim)?.claim?.lease ?? noLease;
  const queued = dueAfter(leaseGraceMs);
  return sql`suspended AS MATERIALIZED (
    SELECT id FROM (SELECT DISTINCT organisation_id AS id FROM asked) own WHERE ${isSuspended(sql`own.id`)}
  ), inserted AS (
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
      charge_kobo, created_at, state, attempt, provider, lease_holder, next_attempt_at${hasTimes ? sql`, send_at` : sql``})
    SELECT delivery.id, organisation_id, 'sms', asked.id, channel, recipient, recipient_given, delivery.pages,
      delivery.kobo, created_at, CASE WHEN is_claimed THEN 'submitting' ELSE 'queued' END::delivery_state,
      is_claimed::int, CASE WHEN is_claimed THEN provider END, CASE WHEN is_claimed THEN ${holder}::bigint END,
      CASE WHEN is_claimed THEN ${leaseUntil(leaseMs)} ELSE ${hasTimes ? sql`coalesce(waits_until, ${queued})` : queued} END
      ${hasTimes ? sql`, waits_until` : sql``}
    FROM ${delivery} JOIN asked ON asked.id = delivery.message_id CROSS JOIN LATERAL (
      SELECT provider IS NOT NULL AND organisation_id NOT IN (SELECT id FROM suspended) AS is_claimed) decision
    ON CONFLICT DO NOTHING RETURNING message_id, state)`;
}

/** Empty without rejected recipients, which is the usual case. They cost nothing and have no attempt. */
function storeRejected(messages: readonly PricedMessage[]): Sql {
  const rows = messages.flatMap(({ id: messageId, rejected }) =>
    rejected.map((delivery) => ({ messageId, ...delivery, ...windowClosed })),
  );
  if (rows.length === 0) return sql``;
  const rejection = unnest('rejection', rows, {
    uuid: ['id', 'messageId'],
    text: ['recipient', 'recipientGiven', 'code', 'message'],
    int: ['pages'],
  });
  const reported = messages.filter(({ callbackUrl, hasEndpoints }) => callbackUrl !== null || hasEndpoints);
  const callbacks = reported.flatMap((message) =>
    message.rejected.map((delivery) => ({
      deliveryId: delivery.id,
      ...messageCallback('message.rejected', rejectedDelivery(message, delivery), message),
    })),
  );
  return sql`, rejected AS (
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages, charge_kobo,
      state, error_code, error_message, created_at, updated_at)
    SELECT rejection.id, organisation_id, 'sms', asked.id, channel, recipient, recipient_given, rejection.pages, 0,
      'rejected', code, rejection.message, created_at, created_at
    FROM ${rejection} JOIN asked ON asked.id = rejection.message_id
    ON CONFLICT DO NOTHING RETURNING id)${callbacks.length === 0 ? sql`` : sql`, ${callbacksAlongside(callbacks, sql`rejected`)}`}`;
}

const rejectedDelivery = (
  { channel, createdAt }: PricedMessage,
  { id, recipientGiven }: PricedMessage['rejected'][number],
) => ({
  ...{ id, channel, recipientGiven, createdAt },
  state: 'rejected' as const,
  updatedAt: createdAt,
  errorCode: windowClosed.code,
  errorMessage: windowClosed.message,
});

const noLease: Lease = { holder: 0n, leaseMs: 0 };

/** Empty without links, which is the usual case. */
function storeLinks(messages: readonly PricedMessage[], texts: StoredTexts): Sql {
  const rows = messages.flatMap(({ id: messageId, organisationId, deliveries }) =>
    deliveries.flatMap(({ id: deliveryId, links }) =>
      links.map((link, position) => ({
        code: link.code,
        position,
        deliveryId,
        messageId,
        ...texts.sealUrl(organisationId, link),
      })),
    ),
  );
  if (rows.length === 0) return sql``;
  const link = unnest('link', rows, {
    text: ['code', 'url'],
    bytea: ['sealedUrl'],
    uuid: ['deliveryId', 'messageId'],
    int: ['position'],
  });
  return sql`, linked AS (
    INSERT INTO tracked_link (code, delivery_id, position, url, sealed_url, created_at)
    SELECT link.code, link.delivery_id, link.position, link.url, link.sealed_url, asked.created_at
    FROM ${link} JOIN asked ON asked.id = link.message_id
    ON CONFLICT DO NOTHING)`;
}

/** Empty without a smartlist, which is the usual case. */
function storeExpansions(messages: readonly PricedMessage[], hasTimes: boolean): Sql {
  const rows = messages.flatMap(({ id, list, phoneColumn, charged }) =>
    list === null
      ? []
      : {
          ...{ id, list, phoneColumn },
          chargedRows: charged?.rows ?? null,
          chargedPrices: charged ? JSON.stringify(charged.prices) : null,
        },
  );
  if (rows.length === 0) return sql``;
  const dueAt = hasTimes ? sql`coalesce(waits_until, ${dueNow})` : dueNow;
  const expansion = unnest('expansion', rows, {
    uuid: ['id'],
    text: ['list', 'phoneColumn'],
    int: ['chargedRows'],
    jsonb: ['chargedPrices'],
  });
  return sql`, expanding AS (
    INSERT INTO message_expansion (message_id, organisation_id, list, phone_column, charged_rows, charged_prices, created_at,
      next_attempt_at)
    SELECT asked.id, organisation_id, expansion.list, expansion.phone_column, charged_rows, charged_prices, created_at,
      ${dueAt}
    FROM ${expansion} JOIN asked ON asked.id = expansion.id
    ON CONFLICT DO NOTHING)`;
}
