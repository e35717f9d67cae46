import { toNaira } from '@gangan/billing';
import { hasEndpoints, type NewCallback } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import { type Channel, type RowOf, sql, statement, t } from '@gangan/database';
import { hasDeliveryIn } from '../message-status.js';

/** A canceled message and what became of its recipients; nothing, and none is counted, if one of them is still open. */
export const findCanceled = statement(
  {
    channel: t.enumOf<Channel>('channel'),
    requestId: t.text,
    callbackUrl: t.nullable(t.text),
    externalRef: t.nullable(t.text),
    hasEndpoints: t.bool,
    canceled: t.int,
    submitted: t.int,
    refunded: t.bigint,
    createdAt: t.timestamp,
    canceledAt: t.timestamp,
    endedAt: t.timestamp,
  },
  (messageId: string) => sql`
    SELECT message.channel, message.request_id AS "requestId", message.callback_url AS "callbackUrl",
      message.external_ref AS "externalRef",
      ${hasEndpoints(sql`message.organisation_id`, ['message.canceled'])} AS "hasEndpoints",
      deliveries.canceled, deliveries.submitted, (deliveries.kobo + coalesce(unread.kobo, 0))::bigint AS refunded,
      message.created_at AS "createdAt", coalesce(message.canceled_at, now()) AS "canceledAt", now() AS "endedAt"
    FROM message
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE state = 'canceled')::int AS canceled,
        count(*) FILTER (WHERE state IN ('sent', 'delivered', 'read', 'undelivered', 'expired'))::int AS submitted,
        coalesce(sum(charge_kobo) FILTER (WHERE state = 'canceled'), 0) AS kobo
      FROM delivery WHERE message_id = message.id AND message_id IS NOT NULL) deliveries
    LEFT JOIN LATERAL (
      SELECT message.charge_kobo + growth_kobo - charge_kobo AS kobo FROM message_expansion
      WHERE message_id = message.id AND state = 'canceled' LIMIT 1) unread ON true
    WHERE message.id = ${messageId} AND NOT ${hasDeliveryIn('queued', 'submitting')}`,
);

/** One for the whole message: its canceled deliveries have none of their own. */
export function canceledCallback(
  { messageId: id, organisationId }: { readonly messageId: string; readonly organisationId: string },
  row: RowOf<typeof findCanceled>,
): NewCallback {
  const ended = formatTimestamp(row.endedAt);
  const data = {
    id,
    channel: row.channel,
    canceled: row.canceled,
    submitted: row.submitted,
    refunded: toNaira(row.refunded),
    ...(row.externalRef !== null && { external_ref: row.externalRef }),
    created_datetime: formatTimestamp(row.createdAt),
    canceled_datetime: formatTimestamp(row.canceledAt),
    ended_datetime: ended,
  };
  const { requestId, callbackUrl: url, hasEndpoints: toEndpoints } = row;
  const body = { type: 'message.canceled' as const, timestamp: ended, data };
  return { organisationId, resourceId: id, requestId, url, hasEndpoints: toEndpoints, body };
}
