import { command, Database, sql } from '@gangan/database';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback.metrics.js';

const intervalMs = 600_000;
const maxBatch = 500;

const failUndelivered = command(
  (days: number, limit: number) => sql`
    UPDATE callback SET state = 'failed', next_attempt_at = NULL, leased_until = NULL, lease_holder = NULL,
      ended_at = now()
    WHERE id = ANY (ARRAY(
      SELECT id FROM callback WHERE ended_at IS NULL AND due_since < now() - ${days}::int * interval '1 day'
      ORDER BY due_since LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Fails callbacks that are too old to be useful, so that callbacks to a dead host do not accumulate. */
@Injectable()
export class UndeliveredCallbacks {
  constructor(
    private readonly database: Database,
    private readonly config: CallbackConfig,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  @Periodic('failing undelivered callbacks', intervalMs)
  async fail(): Promise<boolean> {
    const days = this.config.CALLBACK_KEPT_DAYS;
    const failed = await this.database.run(failUndelivered, days, maxBatch);
    if (failed > 0) {
      this.metrics.ended.inc({ outcome: 'given_up' }, failed);
      this.logger.warn(
        { count: failed, afterDays: days },
        'callbacks failed: they were undelivered for too long',
      );
    }
    return failed === maxBatch;
  }
}
