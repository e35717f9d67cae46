import { Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';

const restMs = 600_000;
const mostAtOnce = 500;
const dayMs = 86_400_000;

/** Removes what is old, with deliveries and tries. */
@Injectable()
export class Pruner {
  constructor(
    private readonly database: Database,
    private readonly config: OtpConfig,
  ) {}

  /**
   * Tells whether there may be more. As ids are made in the order of time, the old ones are the first. One whose
   * delivery has not ended may still be given back, and stays until it has.
   */
  @Periodic('removing old OTPs', restMs)
  async prune(): Promise<boolean> {
    const days = this.config.OTP_KEPT_DAYS;
    const oldest = firstIdAt(new Date(Date.now() - days * dayMs));
    const removed = await this.database.execute(sql`
      DELETE FROM otp WHERE id = ANY (ARRAY(
        SELECT id FROM otp WHERE id < ${oldest}::uuid AND (
          SELECT true FROM delivery
          WHERE otp_id = otp.id AND otp_id IS NOT NULL AND state IN ('queued', 'submitting', 'sent') LIMIT 1) IS NULL
        ORDER BY id LIMIT ${mostAtOnce} FOR UPDATE SKIP LOCKED))`);
    await this.database.execute(sql`DELETE FROM otp_spend WHERE day < current_date - ${days}::int`);
    return removed === mostAtOnce;
  }
}
