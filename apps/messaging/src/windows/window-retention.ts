import { command, Database, sql } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { hoursAgo, maxSilentDays, windowHours } from './conversation-windows.js';

const intervalMs = 600_000;
const maxRows = 1_000;

const removeClosed = command(
  (limit: number) => sql`
    DELETE FROM whatsapp_window WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM whatsapp_window WHERE received_at < ${hoursAgo(windowHours)}
      ORDER BY received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const removeSilent = command(
  (limit: number) => sql`
    DELETE FROM whatsapp_receiver WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM whatsapp_receiver WHERE last_received_at < ${hoursAgo(maxSilentDays * 24)}
      ORDER BY last_received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Removes windows of WhatsApp that are closed, and providers that no longer bring messages. */
@Injectable()
export class WindowRetention {
  constructor(private readonly database: Database) {}

  /** @returns whether more may be left */
  @Periodic('removing closed windows of WhatsApp', intervalMs)
  async prune(): Promise<boolean> {
    const windows = await this.database.run(removeClosed, maxRows);
    const receivers = await this.database.run(removeSilent, maxRows);
    return windows === maxRows || receivers === maxRows;
  }
}
