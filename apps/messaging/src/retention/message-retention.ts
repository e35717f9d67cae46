import {
  command,
  Database,
  ShorterRetention,
  type RetentionLimits,
  sql,
  type SqlRunner,
  statement,
  t,
} from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { hasDeliveryIn, isExpanding } from '../message-status.js';
import { MessagingConfig } from '../messaging.config.js';

const intervalMs = 600_000;
const dayMs = 86_400_000;
/** Rows per statement: a message can have a thousand deliveries, and others wait for the locks. */
const maxRows = 500;
const maxMessages = 20;

const removeClicks = command(
  (beforeId: string, limit: number) => sql`
    DELETE FROM link_click WHERE id = ANY (ARRAY(
      SELECT id FROM link_click WHERE id < ${beforeId}::uuid ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Only messages whose report was sent. */
const removeSimulated = command(
  (beforeId: string, limit: number) => sql`
    DELETE FROM simulated_message WHERE id = ANY (ARRAY(
      SELECT id FROM simulated_message WHERE id < ${beforeId}::uuid AND report_due_at IS NULL
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const lockFinished = statement(
  { id: t.uuid },
  (beforeId: string, before: Date, limit: number) => sql`
    SELECT id FROM message
    WHERE id < ${beforeId}::uuid AND (send_at >= ${before}) IS NOT TRUE
      AND NOT (${hasDeliveryIn('queued', 'submitting', 'sent')} OR ${isExpanding})
    ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED`,
);

/** The same for organisations that keep their messages for less time. */
const lockFinishedOf = statement(
  { id: t.uuid },
  (limits: RetentionLimits, limit: number) => sql`
    SELECT found.id FROM ${ShorterRetention.table(limits)} CROSS JOIN LATERAL (
      SELECT id FROM message
      WHERE organisation_id = kept.organisation_id AND id < kept.before_id AND (send_at >= kept.before) IS NOT TRUE
        AND NOT (${hasDeliveryIn('queued', 'submitting', 'sent')} OR ${isExpanding})
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS found
    LIMIT ${limit}`,
  { samples: [[ShorterRetention.sample, 1]] },
);

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

interface Removed {
  readonly messages: number;
  readonly deliveries: number;
}

/** Removes old messages of all organisations, in portions. Their charges stay in the ledger. */
@Injectable()
export class MessageRetention {
  constructor(
    private readonly database: Database,
    private readonly config: MessagingConfig,
  ) {}

  /**
   * Ids are ordered by time, so a time limit is an id; a scheduled message is kept from its time on.
   * @returns whether more may be left
   */
  @Periodic('removing old messages', intervalMs)
  async prune(): Promise<boolean> {
    const before = new Date(Date.now() - this.config.MESSAGES_KEPT_DAYS * dayMs);
    const beforeId = firstIdAt(before);
    const clicks = await this.database.run(removeClicks, beforeId, maxRows);
    const simulated = await this.database.run(removeSimulated, beforeId, maxRows);
    const limits = await ShorterRetention.find(this.database, 'messages', this.config.MESSAGES_KEPT_DAYS);
    const removed = [
      await this.removeMessages((transaction) =>
        transaction.run(lockFinished, beforeId, before, maxMessages),
      ),
      ...(limits
        ? [await this.removeMessages((transaction) => transaction.run(lockFinishedOf, limits, maxMessages))]
        : []),
    ];
    const isFull = ({ messages, deliveries }: Removed): boolean =>
      messages === maxMessages || deliveries === maxRows;
    return [clicks, simulated].includes(maxRows) || removed.some(isFull);
  }

  private removeMessages(
    lock: (transaction: SqlRunner) => Promise<readonly { readonly id: string }[]>,
  ): Promise<Removed> {
    return this.database.transaction(async (transaction) => {
      const rows = await lock(transaction);
      if (rows.length === 0) return { messages: 0, deliveries: 0 };
      const ids = rows.map(({ id }) => id);
      const deliveries = await transaction.run(removeDeliveries, ids, maxRows);
      await transaction.run(removeEmptyMessages, ids);
      return { messages: ids.length, deliveries };
    });
  }
}
