import { command, Database, sql, statement, uuid } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { transactionByIndex } from '../transactions.js';

export interface RowCounts {
  readonly messages: number;
  readonly deliveries: number;
}

const removeClicks = command(
  (beforeId: string, limit: number) => sql`
    DELETE FROM link_click WHERE id = ANY (ARRAY(
      SELECT id FROM link_click WHERE id < ${beforeId}::uuid ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const removeSimulated = command(
  (beforeId: string, limit: number) => sql`
    DELETE FROM simulated_message WHERE id = ANY (ARRAY(
      SELECT id FROM simulated_message WHERE id < ${beforeId}::uuid AND report_due_at IS NULL
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** BETWEEN instead of equality: otherwise the planner reads all deliveries of a message to find none open. */
const lockFinished = statement(
  { id: uuid },
  (beforeId: string, limit: number) => sql`
    SELECT message.id FROM message
    LEFT JOIN LATERAL (
      SELECT true AS is_open FROM delivery
      WHERE organisation_id = message.organisation_id AND state IN ('queued', 'submitting', 'sent')
        AND message_id BETWEEN message.id AND message.id LIMIT 1) AS unfinished ON true
    LEFT JOIN LATERAL (
      SELECT true AS is_open FROM message_expansion
      WHERE message_id = message.id AND state = 'expanding' LIMIT 1) AS expanding ON true
    WHERE message.id < ${beforeId}::uuid AND unfinished.is_open IS NULL AND expanding.is_open IS NULL
    ORDER BY message.id LIMIT ${limit} FOR UPDATE OF message SKIP LOCKED`,
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

/** Works for all organisations, in portions. Ids are ordered by time, so a time limit is an id. */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** Removes the deliveries of the oldest finished messages, and messages without deliveries. */
  removeMessages(before: Date, max: RowCounts): Promise<RowCounts> {
    return transactionByIndex(this.database, async (transaction) => {
      const rows = await transaction.run(lockFinished, firstIdAt(before), max.messages);
      if (rows.length === 0) return { messages: 0, deliveries: 0 };
      const ids = rows.map(({ id }) => id);
      const deliveries = await transaction.run(removeDeliveries, ids, max.deliveries);
      await transaction.run(removeEmptyMessages, ids);
      return { messages: ids.length, deliveries };
    });
  }

  removeClicks(before: Date, limit: number): Promise<number> {
    return transactionByIndex(this.database, (transaction) =>
      transaction.run(removeClicks, firstIdAt(before), limit),
    );
  }

  /** Only messages whose report was sent. */
  removeSimulated(before: Date, limit: number): Promise<number> {
    return transactionByIndex(this.database, (transaction) =>
      transaction.run(removeSimulated, firstIdAt(before), limit),
    );
  }
}
