import { command, Database, ShorterRetention, type RetentionLimits, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';

const intervalMs = 600_000;
const dayMs = 86_400_000;
const maxRows = 500;

const removeOld = command(
  (beforeId: string, limit: number) => sql`
    DELETE FROM incoming_message WHERE id = ANY (ARRAY(
      SELECT id FROM incoming_message WHERE id < ${beforeId}::uuid ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** The same for organisations that keep their messages for less time. */
const removeOldOf = command(
  (limits: RetentionLimits, limit: number) => sql`
    DELETE FROM incoming_message WHERE id = ANY (ARRAY(
      SELECT found.id FROM ${ShorterRetention.table(limits)} CROSS JOIN LATERAL (
        SELECT id FROM incoming_message WHERE organisation_id = kept.organisation_id AND id < kept.before_id
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS found
      LIMIT ${limit}))`,
  { samples: [[ShorterRetention.sample, 1]] },
);

/** Removes old messages that organisations received. They are kept as long as those that they sent. */
@Injectable()
export class InboxRetention {
  constructor(
    private readonly database: Database,
    private readonly config: MessagingConfig,
  ) {}

  /** Ids are ordered by time, so a time limit is an id. @returns whether more may be left */
  @Periodic('removing old received messages', intervalMs)
  async prune(): Promise<boolean> {
    const days = this.config.MESSAGES_KEPT_DAYS;
    const limits = await ShorterRetention.find(this.database, 'messages', days);
    const removed = [
      await this.database.run(removeOld, firstIdAt(new Date(Date.now() - days * dayMs)), maxRows),
      limits ? await this.database.run(removeOldOf, limits, maxRows) : 0,
    ];
    return removed.includes(maxRows);
  }
}
