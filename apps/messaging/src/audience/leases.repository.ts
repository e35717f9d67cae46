import { Database, type Sql, sql } from '@gangan/database';
import type { ClaimedJob } from '@gangan/leases';
import { Injectable } from '@nestjs/common';

/** An expansion that one worker has taken up, for as long as its lease runs. */
export interface Held extends ClaimedJob {
  readonly messageId: string;
  readonly organisationId: string;
  readonly attempt: number;
}

/** Longer than reading a page and storing it may take. */
const leaseTime = sql`interval '30 seconds'`;

/** The column keeps milliseconds, to which `now()` might be rounded up: then it would not be due yet. */
const dueNow = sql`date_trunc('milliseconds', now())`;

/** Part of the statement that writes down how far the work is: it goes on for the same worker. */
export const renewed = sql`next_attempt_at = now() + ${leaseTime}, stalls = 0`;

export const stillHeld = ({ messageId, attempt }: Held): Sql =>
  sql`message_id = ${messageId} AND attempt = ${attempt} AND state = 'expanding'`;

/** The row is the truth, `next_attempt_at` its lease, and `attempt` tells who holds it. */
@Injectable()
export class LeasesRepository {
  constructor(private readonly database: Database) {}

  /** Takes up whatever has been due for longest, if anything. */
  async take(): Promise<Held | undefined> {
    const [held] = await this.database.query<Held>(sql`
      WITH due AS MATERIALIZED (
        SELECT message_id FROM message_expansion WHERE state = 'expanding' AND next_attempt_at <= ${dueNow}
        ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      UPDATE message_expansion AS kept
      SET attempt = attempt + 1, stalls = stalls + 1, next_attempt_at = now() + ${leaseTime}
      FROM due WHERE kept.message_id = due.message_id
      RETURNING kept.message_id AS "messageId", organisation_id AS "organisationId", attempt, stalls`);
    return held;
  }

  /** Lets others have their turn, and after them itself again. */
  async giveBack(held: Held, pauseMs = 0): Promise<void> {
    await this.database.execute(sql`
      UPDATE message_expansion SET next_attempt_at = ${dueNow} + ${pauseMs}::float8 * interval '1 ms'
      WHERE ${stillHeld(held)}`);
  }
}
