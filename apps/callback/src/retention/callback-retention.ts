import { command, Database, ShorterRetention, type RetentionLimits, sql } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback.metrics.js';

const intervalMs = 600_000;
const maxBatch = 500;

// The rows are chosen once, as an array: a subquery could run again for each row and choose others.

/** Fails callbacks that are too old to be useful, so that callbacks to a dead host do not accumulate. */
const failUndelivered = command(
  (days: number, limit: number) => sql`
    UPDATE callback SET state = 'failed', next_attempt_at = NULL, leased_until = NULL, lease_holder = NULL,
      ended_at = now()
    WHERE id = ANY (ARRAY(
      SELECT id FROM callback WHERE ended_at IS NULL AND due_since < now() - ${days}::int * interval '1 day'
      ORDER BY due_since LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Their attempts are deleted with them. */
const deleteEnded = command(
  (days: number, limit: number) => sql`
    DELETE FROM callback WHERE id = ANY (ARRAY(
      SELECT id FROM callback WHERE ended_at < now() - ${days}::int * interval '1 day'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** The same for organisations that keep their callbacks for less time. */
const deleteEndedOf = command(
  (limits: RetentionLimits, limit: number) => sql`
    DELETE FROM callback WHERE id = ANY (ARRAY(
      SELECT found.id FROM ${ShorterRetention.table(limits)} CROSS JOIN LATERAL (
        SELECT id FROM callback
        WHERE organisation_id = kept.organisation_id AND id < kept.before_id AND ended_at < kept.before
        ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS found
      LIMIT ${limit}))`,
  { samples: [[ShorterRetention.sample, 1]] },
);

const deleteAnswers = command(
  (days: number, limit: number) => sql`
    UPDATE callback_attempt SET answer = NULL WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM callback_attempt
      WHERE answer IS NOT NULL AND started_at < now() - ${days}::int * interval '1 day'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const deleteUnusedHosts = command(
  (days: number, limit: number) => sql`
    DELETE FROM callback_host WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM callback_host WHERE updated_at < now() - ${days}::int * interval '1 day'
      LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Deletes old callbacks, responses and hosts, and fails callbacks that stay undelivered. */
@Injectable()
export class CallbackRetention {
  constructor(
    private readonly database: Database,
    private readonly config: CallbackConfig,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('deleting old callbacks', intervalMs)
  async prune(): Promise<boolean> {
    const { CALLBACK_KEPT_DAYS: days, CALLBACK_ANSWERS_KEPT_DAYS: answerDays } = this.config;
    const answers = await this.database.run(deleteAnswers, answerDays, maxBatch);
    const failed = await this.database.run(failUndelivered, days, maxBatch);
    if (failed > 0) {
      this.metrics.ended.inc({ outcome: 'given_up' }, failed);
      this.logger.warn(
        { count: failed, afterDays: days },
        'callbacks failed: they were undelivered for too long',
      );
    }
    const ended = await this.database.run(deleteEnded, days, maxBatch);
    const hosts = await this.database.run(deleteUnusedHosts, days, maxBatch);
    const limits = await ShorterRetention.find(this.database, 'callbacks', days);
    const endedEarlier = limits ? await this.database.run(deleteEndedOf, limits, maxBatch) : 0;
    return [answers, failed, ended, endedEarlier, hosts].includes(maxBatch);
  }
}
