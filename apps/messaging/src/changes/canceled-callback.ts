import { toNaira } from '@gangan/billing';
import type { NewCallback } from '@gangan/callbacks';
import { formatTimestamp } from '@gangan/contracts';
import { type RowOf, sql, statement, t } from '@gangan/database';
import { hasDeliveryIn } from '../message-status.js';
import {
  wholeMessageCallback,
  wholeMessageColumns,
  wholeMessageData,
  wholeMessageShape,
} from '../outcome/message-callback.js';

const type = 'message.canceled';

/** A canceled message and what became of its recipients; nothing, and none is counted, if one of them is still open. */
export const findCanceled = statement(
  {
    ...wholeMessageShape,
    canceled: t.int,
    submitted: t.int,
    refunded: t.bigint,
    canceledAt: t.timestamp,
    endedAt: t.timestamp,
  },
  (messageId: string) => sql`
    SELECT ${wholeMessageColumns(type)}, deliveries.canceled, deliveries.submitted,
      (deliveries.kobo + coalesce(unread.kobo, 0))::bigint AS refunded,
      coalesce(message.canceled_at, now()) AS "canceledAt", now() AS "endedAt"
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

/** One callback for the whole message: its canceled deliveries have none of their own. */
export function canceledCallback(row: RowOf<typeof findCanceled>): NewCallback {
  const ended = formatTimestamp(row.endedAt);
  const data = {
    ...wholeMessageData(row),
    canceled: row.canceled,
    submitted: row.submitted,
    refunded: toNaira(row.refunded),
    canceled_datetime: formatTimestamp(row.canceledAt),
    ended_datetime: ended,
  };
  return wholeMessageCallback(row, { type, timestamp: ended, data });
}
