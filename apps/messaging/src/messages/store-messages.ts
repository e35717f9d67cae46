import { type Sql, sql } from '@gangan/database';
import { dueAfter, dueNow, leaseGraceMs } from '@gangan/leases';
import type { Order } from './orders.js';

/** CTEs that run with the charge: they store the paid messages with their deliveries and links. */
export const storeMessages = (orders: readonly Order[]): Sql => sql`
  asked AS (
    SELECT asked.id, accepted.kobo, accepted.balance, organisation_id, channel, sender, recipients, content, template_id,
      smartlist_id, list, provider_name, language, variables, personalisation, external_ref, trackable, callback_url, encoding, length,
      pages, request_id, created_at
    FROM unnest(${orders.map(({ id }) => id)}::uuid[],
      ${orders.map(({ organisationId }) => organisationId)}::uuid[],
      ${orders.map(({ channel }) => channel)}::channel[],
      ${orders.map(({ sender }) => sender)}::text[],
      ${orders.map(({ deliveries }) => JSON.stringify(deliveries.map((delivery) => delivery.recipientGiven)))}::json[],
      ${orders.map(({ content }) => content)}::text[],
      ${orders.map(({ templateId }) => templateId)}::text[],
      ${orders.map(({ smartlistId }) => smartlistId)}::uuid[],
      ${orders.map(({ list }) => list)}::text[],
      ${orders.map(({ templateProviderName }) => templateProviderName)}::text[],
      ${orders.map(({ templateLanguage }) => templateLanguage)}::text[],
      ${orders.map(({ templateVariables }) => JSON.stringify(templateVariables))}::json[],
      ${orders.map(({ personalisation }) => personalisation && JSON.stringify(personalisation))}::jsonb[],
      ${orders.map(({ externalRef }) => externalRef)}::text[],
      ${orders.map(({ trackable }) => trackable)}::boolean[],
      ${orders.map(({ callbackUrl }) => callbackUrl)}::text[],
      ${orders.map(({ size }) => size.encoding)}::text[],
      ${orders.map(({ size }) => size.length)}::int[],
      ${orders.map(({ size }) => size.pages)}::int[],
      ${orders.map(({ requestId }) => requestId)}::text[],
      ${orders.map(({ createdAt }) => createdAt)}::timestamptz[])
      AS asked (id, organisation_id, channel, sender, recipients, content, template_id, smartlist_id, list,
        provider_name, language, variables, personalisation, external_ref, trackable, callback_url, encoding, length, pages, request_id,
        created_at)
    JOIN accepted ON accepted.subject_id = asked.id
  ), stored AS (
    INSERT INTO message (id, organisation_id, channel, sender, recipients, content, template_id, smartlist_id,
      template_provider_name, template_language, template_variables, personalisation, external_ref, trackable,
      callback_url, encoding, length, pages, charge_kobo, balance_kobo, request_id, created_at)
    SELECT id, organisation_id, channel, sender, ARRAY(SELECT json_array_elements_text(recipients)), content,
      template_id, smartlist_id, provider_name, language, ARRAY(SELECT json_array_elements_text(variables)), personalisation,
      external_ref, trackable, callback_url, encoding, length, pages, kobo, balance, request_id, created_at
    FROM asked ON CONFLICT DO NOTHING
  ), ${storeDeliveries(orders)}${storeLinks(orders)}${storeExpansions(orders)}`;

function storeDeliveries(orders: readonly Order[]): Sql {
  const all = orders.flatMap(({ id, deliveries }) =>
    deliveries.map((delivery) => ({ ...delivery, messageId: id })),
  );
  return sql`queued AS (
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages,
      charge_kobo, created_at, next_attempt_at)
    SELECT delivery.id, asked.organisation_id, 'sms', asked.id, asked.channel, delivery.recipient,
      delivery.recipient_given, delivery.pages, delivery.kobo, asked.created_at, ${dueAfter(leaseGraceMs)}
    FROM unnest(${all.map(({ id }) => id)}::uuid[],
      ${all.map(({ messageId }) => messageId)}::uuid[],
      ${all.map(({ recipient }) => recipient)}::text[],
      ${all.map(({ recipientGiven }) => recipientGiven)}::text[],
      ${all.map(({ pages }) => pages)}::int[],
      ${all.map(({ kobo }) => kobo)}::bigint[])
      AS delivery (id, message_id, recipient, recipient_given, pages, kobo)
    JOIN asked ON asked.id = delivery.message_id
    ON CONFLICT DO NOTHING)`;
}

/** Empty without links, which is the usual case. */
function storeLinks(orders: readonly Order[]): Sql {
  const all = orders.flatMap((order) =>
    order.deliveries.flatMap(({ id, links }) =>
      links.map((link, position) => ({ ...link, position, deliveryId: id, messageId: order.id })),
    ),
  );
  if (all.length === 0) return sql``;
  return sql`, linked AS (
    INSERT INTO tracked_link (code, delivery_id, position, url, created_at)
    SELECT link.code, link.delivery_id, link.position, link.url, asked.created_at
    FROM unnest(${all.map(({ code }) => code)}::text[],
      ${all.map(({ deliveryId }) => deliveryId)}::uuid[],
      ${all.map(({ messageId }) => messageId)}::uuid[],
      ${all.map(({ position }) => position)}::int[],
      ${all.map(({ url }) => url)}::text[])
      AS link (code, delivery_id, message_id, position, url)
    JOIN asked ON asked.id = link.message_id
    ON CONFLICT DO NOTHING)`;
}

/** Empty without a smartlist, which is the usual case. */
const storeExpansions = (orders: readonly Order[]): Sql =>
  orders.some(({ list }) => list !== null)
    ? sql`, expanding AS (
    INSERT INTO message_expansion (message_id, organisation_id, list, created_at, next_attempt_at)
    SELECT id, organisation_id, list, created_at, ${dueNow} FROM asked WHERE list IS NOT NULL
    ON CONFLICT DO NOTHING)`
    : sql``;
