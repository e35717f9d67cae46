import { command, sql } from '@gangan/database';
import { dueAfter, leaseGraceMs } from '@gangan/leases';
import type { ListedDelivery } from './row-deliveries.js';

/** Stores new deliveries of a stored message. */
export const storeDeliveries = command(
  (
    { messageId, organisationId }: { readonly messageId: string; readonly organisationId: string },
    deliveries: readonly ListedDelivery[],
  ) => sql`
    INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, substitutions,
      pages, charge_kobo, next_attempt_at)
    SELECT delivery.id, ${organisationId}::uuid, 'sms', message.id, message.channel, delivery.recipient,
      delivery.recipient_given, delivery.substitutions, delivery.pages, delivery.kobo, ${dueAfter(leaseGraceMs)}
    FROM (SELECT id, channel FROM message WHERE id = ${messageId}) AS message
    CROSS JOIN unnest(${deliveries.map(({ id }) => id)}::uuid[],
      ${deliveries.map(({ recipient }) => recipient)}::text[],
      ${deliveries.map(({ recipientGiven }) => recipientGiven)}::text[],
      ${deliveries.map(({ substitutions }) => substitutions && JSON.stringify(substitutions))}::jsonb[],
      ${deliveries.map(({ pages }) => pages)}::int[],
      ${deliveries.map(({ kobo }) => kobo)}::bigint[])
      AS delivery (id, recipient, recipient_given, substitutions, pages, kobo)`,
);

interface StoredLink {
  readonly code: string;
  readonly deliveryId: string;
  readonly position: number;
  readonly url: string;
}

export const storeLinks = command(
  (links: readonly StoredLink[]) => sql`
    INSERT INTO tracked_link (code, delivery_id, position, url)
    SELECT code, delivery_id, position, url
    FROM unnest(${links.map(({ code }) => code)}::text[],
      ${links.map(({ deliveryId }) => deliveryId)}::uuid[],
      ${links.map(({ position }) => position)}::int[],
      ${links.map(({ url }) => url)}::text[]) AS link (code, delivery_id, position, url)`,
);
