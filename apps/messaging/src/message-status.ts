import type { MessageStatus } from '@gangan/contracts';
import { type DeliveryState, Prisma, type Sql, sql } from '@gangan/database';
import { isScheduled } from './send-at.js';

/** Why the deliveries of a message are not submitted. */
export type MessageHold = 'paused' | 'canceled';

/** A condition of a query on `message`. */
export const isPausedOrCanceled: Sql = sql`(paused_at IS NOT NULL OR canceled_at IS NOT NULL)`;

/** The hold of a message, or null: an expression of a query on `message`. */
export const holdOfMessage: Sql = sql`
  CASE WHEN canceled_at IS NOT NULL THEN 'canceled' WHEN paused_at IS NOT NULL THEN 'paused' END`;

/**
 * The condition for the deliveries of a message in one state. Together with `inStateOrder`, only the index on these two
 * columns serves it. With others, all deliveries of the message, or all open ones of the organisation, would be read.
 */
export function deliveriesIn(state: DeliveryState, messageId: Sql): Sql {
  const key = sql`(${messageId}, ${state}::delivery_state)`;
  return sql`message_id IS NOT NULL AND (message_id, state) >= ${key} AND (message_id, state) <= ${key}`;
}

export const inStateOrder: Sql = sql`ORDER BY message_id, state`;

/** Whether a message has a delivery in one of the states: an expression of a query on `message`. */
export const hasDeliveryIn = (...states: readonly DeliveryState[]): Sql => {
  const found = states.map((state) => {
    const own = deliveriesIn(state, sql`message.id`);
    return sql`(SELECT true FROM delivery WHERE ${own} ${inStateOrder} LIMIT 1) IS NOT NULL`;
  });
  return sql`(${Prisma.join(found, ' OR ')})`;
};

/** Whether rows of its smartlist have not been read: an expression of a query on `message`. */
export const isExpanding: Sql = sql`(
  SELECT true FROM message_expansion WHERE message_id = message.id AND state::text = 'expanding' LIMIT 1) IS NOT NULL`;

/** A message without anything open is completed, even if it is paused: an expression of a query on `message`. */
export const statusOfMessage: Sql = sql`
  CASE WHEN canceled_at IS NOT NULL THEN 'canceled' WHEN paused_at IS NULL AND send_at > now() THEN 'scheduled'
    WHEN ${hasDeliveryIn('queued', 'submitting')} OR ${isExpanding}
      THEN CASE WHEN paused_at IS NULL THEN 'processing' ELSE 'paused' END
    ELSE 'completed' END`;

export const acceptedStatus = (message: Parameters<typeof isScheduled>[0]): MessageStatus =>
  isScheduled(message) ? 'scheduled' : 'processing';
