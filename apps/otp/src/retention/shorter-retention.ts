import { Database, sql, statement, t } from '@gangan/database';
import { days as daysMs } from '@gangan/leases';
import { firstIdAt, nilUuid } from '@gangan/protocol';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { OtpConfig } from '../otp.config.js';

const intervalMs = 600_000;
const maxBatch = 500;
/** OTPs that are remembered because they could not be deleted yet. */
const maxSkipped = 10_000;

/** Keeps an OTP whose delivery has not ended: it may still be refunded. */
export const hasEnded = sql`(
  SELECT true FROM delivery
  WHERE otp_id = otp.id AND otp_id IS NOT NULL AND state IN ('queued', 'submitting', 'sent') LIMIT 1) IS NULL`;

const findShorter = statement(
  { days: t.int, organisationIds: t.array(t.uuid) },
  (configuredDays: number) => sql`
    SELECT days, array_agg(organisation_id ORDER BY organisation_id) AS "organisationIds" FROM organisation_retention
    WHERE kind = 'otps' AND days < ${configuredDays}::int GROUP BY days ORDER BY days`,
);

/**
 * Deletes the OTPs of some organisations among the next ones of all.
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

/** Deletes the OTPs of organisations that keep them for less time. There is no index of the OTPs of an organisation by time. */
@Injectable()
export class ShorterRetention {
  /** Up to where OTPs were read, for each number of days. Kept in memory only: starting again does no harm. */
  private positions = new Map<number, string>();
  /** OTPs before these positions that could not be deleted. They are tried again each time. */
  private skipped = new Set<string>();
  /** The settings that the positions are for. */
  private settings = '[]';

  constructor(
    private readonly database: Database,
    private readonly config: OtpConfig,
  ) {}

  /** Each OTP is read once for each number of days that an organisation has, not once for each organisation. */
  @Periodic('deleting OTPs of organisations that keep them for less time', intervalMs)
  async prune(): Promise<boolean> {
    const shorter = await this.database.run(findShorter, this.config.OTP_KEPT_DAYS);
    const settings = JSON.stringify(shorter);
    if (settings !== this.settings) {
      this.positions = new Map();
      this.skipped = new Set();
    }
    this.settings = settings;
    await this.retrySkipped();
    // The others wait until there is room to remember the skipped OTPs.
    if (this.skipped.size > maxSkipped) return false;
    let hasMore = false;
    for (const { days, organisationIds } of shorter) {
      const firstKeptId = firstIdAt(new Date(Date.now() - daysMs(days)));
      const after = this.positions.get(days) ?? nilUuid;
      const [read] = await this.database.run(deleteAmongNext, organisationIds, after, firstKeptId, maxBatch);
      for (const id of read?.skipped ?? []) this.skipped.add(id);
      if (read?.last != null) this.positions.set(days, read.last);
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
