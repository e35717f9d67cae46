import { Database, sql, type Statements } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { byIndex } from '../by-index.js';

/** How much one step took up. */
export interface Step {
  readonly messages: number;
  readonly deliveries: number;
}

/**
 * What is done for all organisations at once, in portions: each tells how many it got. As ids are made in the order of
 * time, what is older than a moment comes before the first id of it.
 */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** The oldest of those that nobody does anything about any more; with what belongs to them, `most` deliveries first. */
  removeMessages(before: Date, most: Step): Promise<Step> {
    return byIndex(this.database, async (transaction) => {
      const messages = await endedMessages(transaction, before, most.messages);
      if (messages.length === 0) return { messages: 0, deliveries: 0 };
      const deliveries = await removeDeliveries(transaction, messages, most.deliveries);
      await removeEmpty(transaction, messages);
      return { messages: messages.length, deliveries };
    });
  }

  removeClicks(before: Date, most: number): Promise<number> {
    return byIndex(this.database, (transaction) =>
      transaction.execute(sql`
        DELETE FROM link_click WHERE id = ANY (ARRAY(
          SELECT id FROM link_click WHERE id < ${firstIdAt(before)}::uuid ORDER BY id LIMIT ${most}
          FOR UPDATE SKIP LOCKED))`),
    );
  }

  /** What the simulator was told, and has reported. */
  removeSimulated(before: Date, most: number): Promise<number> {
    return byIndex(this.database, (transaction) =>
      transaction.execute(sql`
        DELETE FROM simulated_message WHERE id = ANY (ARRAY(
          SELECT id FROM simulated_message WHERE id < ${firstIdAt(before)}::uuid AND report_due_at IS NULL
          ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED))`),
    );
  }
}

/** The range stands for equality: by that the planner would read every delivery of a message to find none open. */
async function endedMessages(transaction: Statements, before: Date, most: number): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(sql`
    SELECT message.id FROM message
    LEFT JOIN LATERAL (
      SELECT true AS is_open FROM delivery
      WHERE organisation_id = message.organisation_id AND state IN ('queued', 'submitting', 'sent')
        AND message_id BETWEEN message.id AND message.id LIMIT 1) AS unfinished ON true
    LEFT JOIN LATERAL (
      SELECT true AS is_open FROM message_expansion
      WHERE message_id = message.id AND state = 'expanding' LIMIT 1) AS unread ON true
    WHERE message.id < ${firstIdAt(before)}::uuid AND unfinished.is_open IS NULL AND unread.is_open IS NULL
    ORDER BY message.id LIMIT ${most} FOR UPDATE OF message SKIP LOCKED`);
  return rows.map(({ id }) => id);
}

/** With their attempts and links. */
const removeDeliveries = (
  transaction: Statements,
  messageIds: readonly string[],
  most: number,
): Promise<number> =>
  transaction.execute(sql`
    DELETE FROM delivery WHERE id = ANY (ARRAY(
      SELECT delivery.id FROM unnest(${[...messageIds]}::uuid[]) AS message (id)
      CROSS JOIN LATERAL (SELECT id FROM delivery WHERE message_id = message.id LIMIT ${most}) AS delivery
      LIMIT ${most}))`);

const removeEmpty = (transaction: Statements, messageIds: readonly string[]): Promise<number> =>
  transaction.execute(sql`
    DELETE FROM message WHERE id = ANY (${[...messageIds]}::uuid[])
      AND NOT EXISTS (SELECT FROM delivery WHERE message_id = message.id OFFSET 0)`);
