import { recordCallbacks } from '@gangan/callbacks';
import { type Database, sql } from '@gangan/database';
import { newReport } from '../callbacks/new-report.js';

const perStatement = 1_000;

/**
 * Stores a due callback for each of many hosts that accept connections and never respond. They are not announced: an
 * organisation can create so many only over a long time, in which the announcements have been handled.
 */
export async function fillDeadHosts(
  database: Database,
  organisationId: string,
  port: number,
  count: number,
): Promise<void> {
  for (let from = 0; from < count; from += perStatement) {
    const urls = Array.from({ length: Math.min(perStatement, count - from) }, (_, index) =>
      hostUrl(from + index, port),
    );
    await recordCallbacks(
      database,
      urls.map((url) => newReport(url, organisationId)),
    );
  }
  await settle(database);
}

/** What follows a change of so many rows. In practice it is spread over the time in which they were created. */
async function settle(database: Database): Promise<void> {
  await database.execute(sql`VACUUM (ANALYZE) callback`);
  await database.execute(sql`CHECKPOINT`);
}

/** Every address of 127.0.0.0/8 is this machine. */
const hostUrl = (index: number, port: number): string =>
  `http://127.${1 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}:${port}/`;

export async function clearDeadHosts(database: Database, organisationId: string): Promise<number> {
  const cleared = await database.execute(sql`DELETE FROM callback WHERE organisation_id = ${organisationId}`);
  await settle(database);
  return cleared;
}
