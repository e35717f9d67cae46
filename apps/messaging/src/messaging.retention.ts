import { outboxKeptMs } from '@gangan/contracts';
import { command, sql, type Statements } from '@gangan/database';
import { days, type Removed, retentionOf } from '@gangan/leases';
import { hasDeliveryIn, isExpanding } from './message-status.js';
import { MessagingConfig } from './messaging.config.js';
import { RetryPolicies } from './outcome/retry/retry-policy.js';
import { maxSilentDays, windowHours } from './windows/conversation-windows.js';

const hour = 3_600_000;
const handledDays = 7;
const messagesKeptMs = (config: MessagingConfig): number => days(config.MESSAGES_KEPT_DAYS);

/** Deliveries per statement: a message can have a thousand, and others wait for the locks. */
const maxDeliveries = 500;

/** Cascades to attempts and links. */
const removeDeliveries = command(
  (messageIds: readonly string[], limit: number) => sql`
    DELETE FROM delivery WHERE id = ANY (ARRAY(
      SELECT delivery.id FROM unnest(${messageIds}::uuid[]) AS message (id)
      CROSS JOIN LATERAL (SELECT id FROM delivery WHERE message_id = message.id LIMIT ${limit}) AS delivery
      LIMIT ${limit}))`,
);

const removeEmptyMessages = command(
  (messageIds: readonly string[]) => sql`
    DELETE FROM message WHERE id = ANY (${messageIds}::uuid[])
      AND NOT EXISTS (SELECT FROM delivery WHERE message_id = message.id OFFSET 0)`,
);

export const messagingRetention = retentionOf(MessagingConfig, [
  {
    table: 'message',
    keptMs: messagesKeptMs,
    kind: 'messages',
    // The age of a scheduled message counts from its `send_at`.
    where: sql`(send_at >= kept.before) IS NOT TRUE
      AND NOT (${hasDeliveryIn('queued', 'submitting', 'sent')} OR ${isExpanding})`,
    limit: 20,
    remove: removeWithDeliveries,
  },
  { table: 'link_click', keptMs: messagesKeptMs },
  { table: 'incoming_message', keptMs: messagesKeptMs, kind: 'messages' },
  // A simulated message is kept until its report has been sent.
  { table: 'simulated_message', keptMs: messagesKeptMs, where: sql`report_due_at IS NULL` },
  { table: 'outbox_message', keptMs: outboxKeptMs, intervalMs: 60_000 },
  // `state <> 'received'` is the condition of the index.
  {
    table: 'inbound_request',
    keptMs: days(handledDays),
    where: sql`state = 'handled' AND state <> 'received'`,
  },
  {
    table: 'inbound_request',
    keptMs: (config) => Math.max(days(handledDays), messagesKeptMs(config)),
    where: sql`state = 'unparsed' AND state <> 'received'`,
  },
  {
    table: 'parked_report',
    key: 'ctid',
    since: 'received_at',
    // Longer than any delivery waits for its report.
    keptMs: (config) => Math.max(days(3), new RetryPolicies(config).validityMs + days(1)),
  },
  { table: 'whatsapp_window', key: 'ctid', since: 'received_at', keptMs: windowHours * hour },
  { table: 'whatsapp_receiver', key: 'ctid', since: 'last_received_at', keptMs: days(maxSilentDays) },
  // A worker may have the date of yesterday for a while.
  { table: 'help_answer', keptMs: days(2) },
  // Longer than any request of a provider is kept.
  { table: 'last_keyword', key: 'ctid', since: 'sent_at', keptMs: days(400) },
]);

/** Removes messages, or a portion of their deliveries. Their charges stay in the ledger. */
async function removeWithDeliveries(
  transaction: Statements,
  messageIds: readonly string[],
): Promise<Removed> {
  const deliveries = await transaction.run(removeDeliveries, messageIds, maxDeliveries);
  const count = await transaction.run(removeEmptyMessages, messageIds);
  return { count, hasMore: deliveries === maxDeliveries };
}
