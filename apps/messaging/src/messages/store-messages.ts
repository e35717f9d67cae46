import { type Sql, sql, unnest } from '@gangan/database';
import { dueAfter, dueNow, leaseGraceMs } from '@gangan/leases';
import type { StoredTexts } from '../text/stored-texts.js';
import type { PricedMessage } from './prepare-message.js';

/** CTEs that run with the charge: they store the paid messages with their deliveries and links. */
export function storeMessages(messages: readonly PricedMessage[], texts: StoredTexts): Sql {
  const sealed = messages.map((message) => texts.sealMessage(message));
  const rows = sealed.map(({ deliveries, personalisation, templateVariables, ...message }) => ({
    ...message,
    recipients: JSON.stringify(deliveries.map(({ recipientGiven }) => recipientGiven)),
    templateVariables: JSON.stringify(templateVariables),
    personalisation: personalisation && JSON.stringify(personalisation),
  }));
  const asked = unnest('asked', rows, {
    uuid: ['id', 'organisationId', 'smartlistId'],
    channel: ['channel'],
    text: [
      'sender',
      'content',
      'templateId',
      'list',
      'templateProviderName',
      'templateLanguage',
      'externalRef',
      'callbackUrl',
      'encoding',
      'requestId',
    ],
    json: ['recipients', 'templateVariables'],
    jsonb: ['personalisation'],
    boolean: ['trackable'],
    int: ['length', 'pages'],
    timestamptz: ['createdAt'],
    ...(texts.seals && { bytea: ['sealedText'] }),
  });
  const sealedText = texts.seals ? sql`, sealed_text` : sql``;
  return sql`
  asked AS (
    SELECT asked.*, accepted.kobo, accepted.balance FROM ${asked} JOIN accepted ON accepted.subject_id = asked.id
  ), stored AS (
    INSERT INTO message (id, organisation_id, channel, sender, recipients, content, template_id, smartlist_id,
      template_provider_name, template_language, template_variables, personalisation, external_ref, trackable,
      callback_url, encoding, length, pages, charge_kobo, balance_kobo, request_id, created_at${sealedText})
    SELECT id, organisation_id, channel, sender, ARRAY(SELECT json_array_elements_text(recipients)), content,
      template_id, smartlist_id, template_provider_name, template_language,
      ARRAY(SELECT json_array_elements_text(template_variables)), personalisation, external_ref, trackable,
      callback_url, encoding, length, pages, kobo, balance, request_id, created_at${sealedText}
    FROM asked ON CONFLICT DO NOTHING
  ), ${storeDeliveries(messages)}${storeLinks(messages, texts)}${storeExpansions(messages)}`;
}

function storeDeliveries(messages: readonly PricedMessage[]): Sql {
  const rows = messages.flatMap(({ id: messageId, deliveries }) =>
    deliveries.map((delivery) => ({ ...delivery, messageId })),
  );
  const delivery = unnest('delivery', rows, {
    uuid: ['id', 'messageId'],
    text: ['recipient', 'recipientGiven'],
    int: ['pages'],
    bigint: ['kobo'],
  });
  return sql`queued AS (
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
      charge_kobo, created_at, next_attempt_at)
    SELECT delivery.id, asked.organisation_id, 'sms', asked.id, asked.channel, delivery.recipient,
      delivery.recipient_given, delivery.pages, delivery.kobo, asked.created_at, ${dueAfter(leaseGraceMs)}
    FROM ${delivery} JOIN asked ON asked.id = delivery.message_id
    ON CONFLICT DO NOTHING)`;
}

/** Empty without links, which is the usual case. */
function storeLinks(messages: readonly PricedMessage[], texts: StoredTexts): Sql {
  const rows = messages.flatMap(({ id: messageId, organisationId, deliveries }) =>
    deliveries.flatMap(({ id: deliveryId, links }) =>
      links.map((link, position) => ({
        ...{ code: link.code, position, deliveryId, messageId },
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
const storeExpansions = (messages: readonly PricedMessage[]): Sql =>
  messages.some(({ list }) => list !== null)
    ? sql`, expanding AS (
    INSERT INTO message_expansion (message_id, organisation_id, list, created_at, next_attempt_at)
    SELECT id, organisation_id, list, created_at, ${dueNow} FROM asked WHERE list IS NOT NULL
    ON CONFLICT DO NOTHING)`
    : sql``;
