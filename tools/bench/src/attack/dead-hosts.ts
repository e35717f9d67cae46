import { CallbackAnnouncer, recordCallbacks } from '@gangan/callbacks';
import { type Database, sql } from '@gangan/database';
import type { QueueClient } from '@gangan/queue';
import { newReport } from '../callbacks/new-report.js';
import { quietLogger } from '../environment/quiet-logger.js';

const perStatement = 1_000;

/** Stores a callback for each of many hosts that accept connections and never respond. */
export async function fillDeadHosts(
  { database, client }: { readonly database: Database; readonly client: QueueClient },
  organisationId: string,
  port: number,
  count: number,
): Promise<void> {
  const announcer = new CallbackAnnouncer(client, quietLogger);
  for (let from = 0; from < count; from += perStatement) {
    const urls = Array.from({ length: Math.min(perStatement, count - from) }, (_, index) =>
      hostUrl(from + index, port),
    );
    const stored = await recordCallbacks(
      database,
      urls.map((url) => newReport(url, organisationId)),
    );
    await announcer.announce(stored);
  }
}

/** Every address of 127.0.0.0/8 is this machine. */
const hostUrl = (index: number, port: number): string =>
  `http://127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}:${port}/`;

export const clearDeadHosts = (database: Database, organisationId: string): Promise<number> =>
  database.execute(sql`DELETE FROM callback WHERE organisation_id = ${organisationId}`);
