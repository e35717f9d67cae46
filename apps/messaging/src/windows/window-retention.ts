import { command, Database, sql } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { windowHours } from './conversation-windows.js';

const intervalMs = 600_000;
const maxRows = 1_000;

/** The newest row of each number stays: it shows that the number receives messages. */
const removeClosed = command(
  (limit: number) => sql`
    DELETE FROM whatsapp_window WHERE ctid = ANY (ARRAY(
      SELECT closed.ctid FROM whatsapp_window AS closed
      WHERE closed.received_at < now() - ${windowHours}::int * interval '1 hour' AND (
        SELECT true FROM whatsapp_window AS newer
        WHERE newer.organisation_id = closed.organisation_id AND newer.provider = closed.provider
          AND (newer.received_at, newer.phone) > (closed.received_at, closed.phone) LIMIT 1)
      ORDER BY closed.received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Removes windows of WhatsApp that are closed. */
@Injectable()
export class WindowRetention {
  constructor(private readonly database: Database) {}

  /** @returns whether more may be left */
  @Periodic('removing closed windows of WhatsApp', intervalMs)
  async prune(): Promise<boolean> {
    return (await this.database.run(removeClosed, maxRows)) === maxRows;
  }
}
