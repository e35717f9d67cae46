import { Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';

/**
 * What is done for all organisations at once, in portions: each tells how many it got. As ids are made in the order of
 * time, what is older than a moment comes before the first id of it.
 */
@Injectable()
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  removeClicks(before: Date, most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM link_click WHERE id = ANY (ARRAY(
        SELECT id FROM link_click WHERE id < ${firstIdAt(before)}::uuid ORDER BY id LIMIT ${most}
        FOR UPDATE SKIP LOCKED))`);
  }

  /** The oldest of those that nobody does anything about any more. */
  async endedMessages(before: Date, most: number): Promise<string[]> {
    const rows = await this.database.query<{ id: string }>(sql`
      SELECT message.id FROM message
      LEFT JOIN LATERAL (
        SELECT true AS is_open FROM delivery
        WHERE message_id = message.id AND state IN ('queued', 'submitting', 'sent') LIMIT 1) AS unfinished ON true
      WHERE message.id < ${firstIdAt(before)}::uuid AND unfinished.is_open IS NULL
      ORDER BY message.id LIMIT ${most}`);
    return rows.map(({ id }) => id);
  }

  /** With their attempts and links. */
  removeDeliveries(messageIds: readonly string[], most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM delivery WHERE id = ANY (ARRAY(
        SELECT delivery.id FROM unnest(${[...messageIds]}::uuid[]) AS message (id)
        CROSS JOIN LATERAL (
          SELECT id FROM delivery WHERE message_id = message.id LIMIT ${most}) AS delivery
        LIMIT ${most}))`);
  }

  /** Those of which nothing is left. */
  removeMessages(ids: readonly string[]): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM message WHERE id = ANY (${[...ids]}::uuid[])
        AND NOT EXISTS (SELECT FROM delivery WHERE message_id = message.id OFFSET 0)`);
  }

  /** What the simulator was told, and has reported. */
  removeSimulated(before: Date, most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM simulated_message WHERE id = ANY (ARRAY(
        SELECT id FROM simulated_message WHERE id < ${firstIdAt(before)}::uuid AND report_due_at IS NULL
        ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }
}
