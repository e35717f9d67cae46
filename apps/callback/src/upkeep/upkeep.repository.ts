import { Database, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Host } from '../dispatch/isolation.js';

export interface FailingHost extends Host {
  readonly failingSince: Date;
}

/**
 * What is done for all organisations at once, in portions: each tells how many it got. The rows are chosen once, as an
 * array: a subquery may be run again for every row, and then choose others.
 */
@Injectable()
export class UpkeepRepository {
  constructor(private readonly database: Database) {}

  /** Nobody is served by what comes weeks late, and a host that is gone for good must not collect for ever. */
  giveUp(afterDays: number, most: number): Promise<number> {
    return this.database.execute(sql`
      UPDATE callback SET state = 'failed', next_attempt_at = NULL, leased_until = NULL, ended_at = now()
      WHERE id = ANY (ARRAY(
        SELECT id FROM callback WHERE state = 'pending' AND due_since < now() - ${afterDays}::int * interval '1 day'
        ORDER BY due_since LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  /** With their attempts. */
  removeEnded(afterDays: number, most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM callback WHERE id = ANY (ARRAY(
        SELECT id FROM callback WHERE ended_at < now() - ${afterDays}::int * interval '1 day'
        LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  forgetAnswers(afterDays: number, most: number): Promise<number> {
    return this.database.execute(sql`
      UPDATE callback_attempt SET answer = NULL WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM callback_attempt
        WHERE answer IS NOT NULL AND started_at < now() - ${afterDays}::int * interval '1 day'
        LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  /** Those to which nothing has been sent for so long. */
  forgetHosts(afterDays: number, most: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM callback_host WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM callback_host
        WHERE updated_at < now() - ${afterDays}::int * interval '1 day'
        LIMIT ${most} FOR UPDATE SKIP LOCKED))`);
  }

  async countFailing(forHours: number): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(sql`
      SELECT count(*)::int AS count FROM callback_host
      WHERE failing_since < now() - ${forHours}::int * interval '1 hour'`);
    return row?.count ?? 0;
  }

  /** Those that something waits for, and nobody was told of in the last day; whoever asks is the one who tells. */
  failingToReport(forHours: number, most: number): Promise<FailingHost[]> {
    return this.database.query<FailingHost>(sql`
      UPDATE callback_host SET reported_at = now() WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM callback_host
        WHERE failing_since < now() - ${forHours}::int * interval '1 hour'
          AND (reported_at IS NULL OR reported_at < now() - interval '1 day')
          AND EXISTS (SELECT FROM callback WHERE callback.organisation_id = callback_host.organisation_id
            AND callback.host = callback_host.host AND state = 'pending')
        LIMIT ${most} FOR UPDATE SKIP LOCKED))
      RETURNING organisation_id AS "organisationId", host, failing_since AS "failingSince"`);
  }
}
