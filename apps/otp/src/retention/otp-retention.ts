import {
  command,
  Database,
  ShorterRetention,
  type RetentionLimits,
  sql,
  statement,
  t,
} from '@gangan/database';
import { firstIdAt } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';

const intervalMs = 600_000;
const maxBatch = 500;
/** OTPs that are remembered because they could not be deleted yet. */
const maxSkipped = 10_000;
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

/**
 * Deletes the OTPs of some organisations among the next ones of all. There is no index by organisation and time.
 * OTPs that are locked or whose delivery has not ended are skipped.
 */
const deleteAmongNext = statement(
  { last: t.nullable(t.uuid), count: t.int, skipped: t.array(t.uuid) },
  (organisationIds: readonly string[], after: string, firstKeptId: string, limit: number) => sql`
    WITH following AS MATERIALIZED (
      SELECT id, organisation_id FROM otp WHERE id > ${after}::uuid AND id < ${firstKeptId}::uuid
      ORDER BY id LIMIT ${limit}
    ), deleted AS (
      DELETE FROM otp WHERE id = ANY (ARRAY(
        SELECT otp.id FROM following CROSS JOIN LATERAL (
          SELECT id FROM otp WHERE id = following.id AND ${hasEnded} LIMIT 1 FOR UPDATE SKIP LOCKED) AS otp
        WHERE following.organisation_id = ANY (${organisationIds}::uuid[])))
      RETURNING id)
    SELECT (SELECT id FROM following ORDER BY id DESC LIMIT 1) AS last, count(*)::int AS count,
      ARRAY(SELECT id FROM following WHERE organisation_id = ANY (${organisationIds}::uuid[])
        EXCEPT SELECT id FROM deleted) AS skipped
    FROM following`,
);

/** @returns the ids that are still there */
const deleteSkipped = statement(
  { id: t.uuid },
  (ids: readonly string[]) => sql`
    WITH deleted AS (
      DELETE FROM otp WHERE id = ANY (ARRAY(
        SELECT id FROM otp WHERE id = ANY (${ids}::uuid[]) AND ${hasEnded} FOR UPDATE SKIP LOCKED))
      RETURNING id)
    SELECT id FROM otp WHERE id = ANY (${ids}::uuid[]) AND id NOT IN (SELECT id FROM deleted)`,
);

const deleteSpend = command(
  (days: number) => sql`DELETE FROM otp_spend WHERE day < current_date - ${days}::int`,
);

/** Deletes old OTPs with their deliveries and verifications. */
@Injectable()
export class OtpRetention {
  /** Up to where OTPs were read, for each number of days. Kept in memory only: starting again does no harm. */
  private positions = new Map<number, string>();
  /** OTPs before these positions that could not be deleted. They are tried again each time. */
  private skipped = new Set<string>();
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
    const limits = await ShorterRetention.find(this.database, 'otps', days);
    const hasMore = limits ? await this.pruneShorter(limits) : false;
    return deleted === maxBatch || hasMore;
  }

  /** Each OTP is read once for each number of days that an organisation has, not once for each organisation. */
  private async pruneShorter({ organisationIds, days, beforeIds }: RetentionLimits): Promise<boolean> {
    const settings = JSON.stringify([organisationIds, days]);
    if (settings !== this.settings) {
      this.positions = new Map();
      this.skipped = new Set();
    }
    this.settings = settings;
    await this.retrySkipped();
    // The others wait until there is room to remember those that are skipped.
    if (this.skipped.size > maxSkipped) return false;
    let hasMore = false;
    for (const number of new Set(days)) {
      const organisations = organisationIds.filter((_, index) => days[index] === number);
      const firstKeptId = beforeIds[days.indexOf(number)] ?? firstId;
      const after = this.positions.get(number) ?? firstId;
      const [read] = await this.database.run(deleteAmongNext, organisations, after, firstKeptId, maxBatch);
      for (const id of read?.skipped ?? []) this.skipped.add(id);
      if (read?.last != null) this.positions.set(number, read.last);
      hasMore ||= read?.count === maxBatch;
    }
    return hasMore;
  }

  private async retrySkipped(): Promise<void> {
    const ids = [...this.skipped];
    for (let start = 0; start < ids.length; start += maxBatch) {
      const tried = ids.slice(start, start + maxBatch);
      const left = new Set((await this.database.run(deleteSkipped, tried)).map(({ id }) => id));
      for (const id of tried) if (!left.has(id)) this.skipped.delete(id);
    }
  }
}
