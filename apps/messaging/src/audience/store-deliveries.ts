import { sql, type Statements } from '@gangan/database';
import { eventGrace } from '../messages/store-orders.js';
import type { ListedDelivery } from './row-deliveries.js';
import type { Held } from './leases.repository.js';

/** Deliveries of a message that is there, with their links. None of them is there yet. */
export async function storeDeliveries(
  transaction: Statements,
  { messageId, organisationId }: Held,
  deliveries: readonly ListedDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  await transaction.execute(sql`
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, substitutions,
      pages, charge_kobo, next_attempt_at)
    SELECT delivery.id, ${organisationId}::uuid, 'sms', message.id, message.channel, delivery.recipient,
      delivery.recipient_given, delivery.substitutions, delivery.pages, delivery.kobo, now() + ${eventGrace}
    FROM (SELECT id, channel FROM message WHERE id = ${messageId}) AS message
    CROSS JOIN unnest(${deliveries.map(({ id }) => id)}::uuid[],
      ${deliveries.map(({ recipient }) => recipient)}::text[],
      ${deliveries.map(({ recipientGiven }) => recipientGiven)}::text[],
      ${deliveries.map(({ substitutions }) => substitutions && JSON.stringify(substitutions))}::jsonb[],
      ${deliveries.map(({ pages }) => pages)}::int[],
      ${deliveries.map(({ kobo }) => kobo)}::bigint[])
      AS delivery (id, recipient, recipient_given, substitutions, pages, kobo)`);
  const links = deliveries.flatMap(({ id, links: own }) =>
    own.map((link, position) => ({ ...link, position, deliveryId: id })),
  );
  if (links.length === 0) return;
  await transaction.execute(sql`
    INSERT INTO tracked_link (code, delivery_id, position, url)
    SELECT code, delivery_id, position, url
    FROM unnest(${links.map(({ code }) => code)}::text[],
      ${links.map(({ deliveryId }) => deliveryId)}::uuid[],
      ${links.map(({ position }) => position)}::int[],
      ${links.map(({ url }) => url)}::text[]) AS link (code, delivery_id, position, url)`);
}
