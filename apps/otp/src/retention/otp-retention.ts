import { command, Database, OwnRetention, type RetentionLimits, sql, statement, t } from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';

const intervalMs = 600_000;
const maxBatch = 500;
const dayMs = 86_400_000;
const firstId = '00000000-0000-0000-0000-000000000000';

/** Keeps an OTP whose delivery has not ended: it may still be refunded. */
const hasEnded = sql`(
  SELECT true FROM delivery
  WHERE otp_id = otp.id AND otp_id IS NOT NULL AND state IN ('queued', 'submitting', 'sent') LIMIT 1) IS NULL`;

const deleteOtps = command(
  (firstKeptId: string, limit: number) => sql`
    DELETE FROM otp WHERE id = ANY (ARRAY(
      SELECT id FROM otp WHERE id < ${firstKeptId}::uuid AND ${hasEnded}
      ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Deletes the OTPs of some organisations among the next ones of all. There is no index by organisation and time. */
const deleteAmongNext = statement(
  { last: t.nullable(t.uuid), count: t.int },
  (organisationIds: readonly string[], after: string, firstKeptId: string, limit: number) => sql`
    WITH following AS MATERIALIZED (
      SELECT id, organisation_id FROM otp WHERE id > ${after}::uuid AND id < ${firstKeptId}::uuid
      ORDER BY id LIMIT ${limit}
    ), deleted AS (
      DELETE FROM otp WHERE id = ANY (ARRAY(
        SELECT otp.id FROM following CROSS JOIN LATERAL (
          SELECT id FROM otp WHERE id = following.id AND ${hasEnded} LIMIT 1 FOR UPDATE SKIP LOCKED) AS otp
        WHERE following.organisation_id = ANY (${organisationIds}::uuid[]))))
    SELECT (SELECT id FROM following ORDER BY id DESC LIMIT 1) AS last, count(*)::int AS count FROM following`,
);

const deleteSpend = command(
  (days: number) => sql`DELETE FROM otp_spend WHERE day < current_date - ${days}::int`,
);

/** Deletes old OTPs with their deliveries and verifications. */
@Injectable()
export class OtpRetention {
  /** Up to where OTPs were read, for each number of days. Kept in memory only: starting again does no harm. */
  private positions = new Map<number, string>();
  /** The settings that the positions are for. */
  private settings = '';

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
    const limits = await OwnRetention.find(this.database, 'otps', days);
    const hasMore = limits ? await this.pruneOwn(limits) : false;
    return deleted === maxBatch || hasMore;
  }

  /** Each OTP is read once for each number of days that an organisation has, not once for each organisation. */
  private async pruneOwn({ organisationIds, days, beforeIds }: RetentionLimits): Promise<boolean> {
    const settings = JSON.stringify([organisationIds, days]);
    if (settings !== this.settings) this.positions = new Map();
    this.settings = settings;
    let hasMore = false;
    for (const number of new Set(days)) {
      const own = organisationIds.filter((_, index) => days[index] === number);
      const firstKeptId = beforeIds[days.indexOf(number)] ?? firstId;
      const after = this.positions.get(number) ?? firstId;
      const [read] = await this.database.run(deleteAmongNext, own, after, firstKeptId, maxBatch);
      if (read?.last != null) this.positions.set(number, read.last);
      hasMore ||= read?.count === maxBatch;
    }
    return hasMore;
  }
}
