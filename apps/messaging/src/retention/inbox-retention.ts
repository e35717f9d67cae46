import { command, Database, sql } from '@gangan/database';
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
    const beforeId = firstIdAt(new Date(Date.now() - this.config.MESSAGES_KEPT_DAYS * dayMs));
    return (await this.database.run(removeOld, beforeId, maxRows)) === maxRows;
  }
}
