import { command, Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';

const intervalMs = 600_000;
const dayMs = 86_400_000;
const handledDays = 7;
const maxRows = 500;

/** `state <> 'received'` is the condition of the index. */
const removeOld = command(
  (state: string, beforeId: string, limit: number) => sql`
    DELETE FROM inbound_request WHERE id = ANY (ARRAY(
      SELECT id FROM inbound_request
      WHERE state = ${state}::inbound_state AND state <> 'received' AND id < ${beforeId}::uuid
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Removes old requests of providers. Requests that could not be read are kept as long as messages. */
@Injectable()
export class InboundRetention {
  constructor(
    private readonly database: Database,
    private readonly config: MessagingConfig,
  ) {}

  /** Ids are ordered by time, so a time limit is an id. @returns whether more may be left */
  @Periodic('removing old requests of providers', intervalMs)
  async prune(): Promise<boolean> {
    const before = (days: number): string => firstIdAt(new Date(Date.now() - days * dayMs));
    const unparsedDays = Math.max(handledDays, this.config.MESSAGES_KEPT_DAYS);
    const handled = await this.database.run(removeOld, 'handled', before(handledDays), maxRows);
    const unparsed = await this.database.run(removeOld, 'unparsed', before(unparsedDays), maxRows);
    return [handled, unparsed].includes(maxRows);
  }
}
