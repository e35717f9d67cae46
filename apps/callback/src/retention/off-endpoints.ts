import { Database, distinctKeys, sql, statement, t } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackMetrics } from '../callback.metrics.js';
import { isWaiting } from '../dispatch/move-waiting.js';

const intervalMs = 30_000;
const maxBatch = 500;

/**
 * Ends pending callbacks of endpoints that are disabled or deleted. Its cost grows with the number of endpoints that have
 * something pending. A callback in flight is left to its worker.
 */
const endPending = statement(
  { ended: t.int },
  (limit: number) => sql`
    WITH RECURSIVE
    ${distinctKeys('pending', ['endpoint_id'], sql`callback WHERE ${isWaiting} AND endpoint_id IS NOT NULL`)},
    disabled AS MATERIALIZED (
      SELECT endpoint_id FROM pending
      WHERE (SELECT enabled FROM callback_endpoint WHERE id = pending.endpoint_id) IS NOT TRUE
    ), locked AS MATERIALIZED (
      SELECT found.id FROM disabled CROSS JOIN LATERAL (
        SELECT id FROM callback
        WHERE callback.endpoint_id = disabled.endpoint_id AND ${isWaiting} AND leased_until IS NULL
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED) AS found
      LIMIT ${limit}::int
    ), ended AS (
      UPDATE callback SET state = 'failed', attempt = attempt + 1, next_attempt_at = NULL, ended_at = now()
      WHERE id = ANY (ARRAY(SELECT locked.id FROM locked)) RETURNING id, attempt
    ), stored AS (
      INSERT INTO callback_attempt (callback_id, attempt, error, started_at, ended_at)
      SELECT id, attempt, 'endpoint_off', now(), now() FROM ended
      ON CONFLICT (callback_id, attempt) DO NOTHING
    )
    SELECT count(*)::int AS ended FROM ended`,
);

/** Callbacks of an endpoint that is off count as waiting until they end, even if they are due hours later. */
@Injectable()
export class OffEndpoints {
  constructor(
    private readonly database: Database,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('ending the callbacks of disabled endpoints', intervalMs)
  async endPending(): Promise<boolean> {
    const [found] = await this.database.run(endPending, maxBatch);
    const ended = found?.ended ?? 0;
    if (ended > 0) {
      this.metrics.ended.inc({ outcome: 'failed' }, ended);
      this.logger.debug({ count: ended }, 'callbacks failed: their endpoint is disabled or deleted');
    }
    return ended === maxBatch;
  }
}
