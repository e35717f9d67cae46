import { command, Database, sql } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';

const intervalMs = 600_000;
const maxBatch = 500;
const dayMs = 86_400_000;

/** Keeps an OTP whose delivery has not ended: it may still be refunded. */
const deleteOtps = command(
  (firstKeptId: string, limit: number) => sql`
    DELETE FROM otp WHERE id = ANY (ARRAY(
      SELECT id FROM otp WHERE id < ${firstKeptId}::uuid AND (
        SELECT true FROM delivery
        WHERE otp_id = otp.id AND otp_id IS NOT NULL AND state IN ('queued', 'submitting', 'sent') LIMIT 1) IS NULL
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

const deleteSpend = command(
  (days: number) => sql`DELETE FROM otp_spend WHERE day < current_date - ${days}::int`,
);

/** Deletes old OTPs with their deliveries and verifications. */
@Injectable()
export class OtpRetention {
  constructor(
    private readonly database: Database,
    private readonly config: OtpConfig,
  ) {}

  @Periodic('deleting old OTPs', intervalMs)
  async prune(): Promise<boolean> {
    const days = this.config.OTP_KEPT_DAYS;
    const firstKeptId = firstIdAt(new Date(Date.now() - days * dayMs));
    const deleted = await this.database.run(deleteOtps, firstKeptId, maxBatch);
    await this.database.run(deleteSpend, days);
    return deleted === maxBatch;
  }
}
