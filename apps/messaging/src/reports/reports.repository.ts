import { Database, type DeliveryLane, type DeliveryState, sql } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { withoutWords } from '../providers/discretion.js';
import type { Reason } from '../providers/message-provider.js';
import { byIndex } from '../by-index.js';
import { type Change, changeColumns } from '../outcome/change.js';
import type { Conclusion } from '../outcome/apply.js';
import { follow } from '../outcome/follow.js';

/** The delivery that a report is about. */
export interface Found {
  readonly id: string;
  readonly organisationId: string;
  readonly lane: DeliveryLane;
  readonly state: DeliveryState;
}

/** How a delivery that a carrier has ends. */
export interface Ending {
  readonly id: string;
  readonly organisationId: string;
  readonly state: 'delivered' | 'undelivered' | 'expired';
  readonly reason?: Reason | undefined;
  readonly refunded: boolean;
}

/** A report that is parked. */
export interface Waiting {
  readonly receivedAt: Date;
  readonly provider: string;
  readonly reference: string;
  readonly isKnown: boolean;
}

interface Parked {
  readonly providerReference: string;
  readonly state: Ending['state'];
  readonly reason?: Reason | undefined;
}

@Injectable()
export class ReportsRepository {
  constructor(private readonly database: Database) {}

  /** By the provider's references. */
  async find(provider: string, references: readonly string[]): Promise<ReadonlyMap<string, Found>> {
    const rows = await this.database.query<Found & { reference: string }>(sql`
      SELECT told.reference, found.id, found.organisation_id AS "organisationId", found.lane, found.state
      FROM unnest(${references}::text[]) AS told (reference) CROSS JOIN LATERAL (
        SELECT id, organisation_id, lane, state FROM delivery
        WHERE provider = ${provider} AND provider_reference = told.reference AND provider_reference IS NOT NULL
        LIMIT 1) found`);
    return new Map(rows.map(({ reference, ...found }) => [reference, found]));
  }

  /** By our own references, of those that this provider was given last. */
  findOwn(provider: string, ids: readonly string[]): Promise<(Found & { readonly attempt: number })[]> {
    return this.database.query(sql`
      SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
        SELECT id, organisation_id AS "organisationId", lane, state, attempt FROM delivery
        WHERE id = named.id AND provider = ${provider} AND state <> 'queued' LIMIT 1) found`);
  }

  /** State, money and report in one transaction; what has ended before stays as it is. */
  end(endings: readonly Ending[]): Promise<Conclusion> {
    const ordered = endings.toSorted((one, other) => (one.id < other.id ? -1 : 1));
    return byIndex(this.database, async (transaction) => {
      const changes = await transaction.query<Change>(sql`
        WITH ending AS MATERIALIZED (
          SELECT id, state::delivery_state, code, message, refunded
          FROM unnest(${ordered.map(({ id }) => id)}::uuid[], ${ordered.map(({ state }) => state)}::text[],
            ${ordered.map(({ reason }) => reason?.code ?? null)}::text[],
            ${ordered.map(({ reason }) => reason?.message ?? null)}::text[],
            ${ordered.map(({ refunded }) => refunded)}::bool[]) AS told (id, state, code, message, refunded)
        ), locked AS MATERIALIZED (
          SELECT ending.* FROM ending CROSS JOIN LATERAL (
            SELECT FROM delivery WHERE id = ending.id AND state = 'sent' LIMIT 1 FOR UPDATE) open
        )
        UPDATE delivery SET state = locked.state, next_attempt_at = NULL, error_code = locked.code,
          error_message = locked.message, refunded = locked.refunded, updated_at = now()
        FROM locked WHERE delivery.id = locked.id
        RETURNING ${changeColumns}`);
      return { changes, callbackIds: await follow(transaction, changes) };
    });
  }

  /** The same report twice is one. Its words are not kept: it may be of an OTP, and repeat its token. */
  async park(provider: string, reports: readonly Parked[]): Promise<void> {
    await this.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      SELECT ${provider}, reference, state::delivery_state, code
      FROM unnest(${reports.map(({ providerReference }) => providerReference)}::text[],
        ${reports.map(({ state }) => state)}::text[],
        ${reports.map(({ reason }) => (reason ? withoutWords(reason).code : null))}::text[])
        AS told (reference, state, code)
      ON CONFLICT DO NOTHING`);
  }

  /** In the order in which they came. */
  async parked(provider: string, references: readonly string[]): Promise<Parked[]> {
    const rows = await this.database.query<{
      reference: string;
      state: Ending['state'];
      code: string | null;
    }>(sql`
      SELECT found.* FROM unnest(${references}::text[]) AS named (reference) CROSS JOIN LATERAL (
        SELECT provider_reference AS reference, state, error_code AS code, received_at
        FROM parked_report WHERE provider = ${provider} AND provider_reference = named.reference LIMIT 10) found
      ORDER BY found.received_at`);
    return rows.map(({ reference: providerReference, state, code }) => ({
      ...{ providerReference, state },
      ...(code !== null && { reason: { code, message: '' } }),
    }));
  }

  async unpark(provider: string, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    await byIndex(this.database, (transaction) =>
      transaction.execute(sql`
        DELETE FROM parked_report WHERE provider = ${provider} AND provider_reference = ANY (${references}::text[])`),
    );
  }

  /** A page of what is parked, from the oldest on, and whether its delivery has its reference by now. */
  async page(after: Waiting | undefined, limit: number): Promise<Waiting[]> {
    const from = after ?? { receivedAt: new Date(0), provider: '', reference: '' };
    return byIndex(this.database, (transaction) =>
      transaction.query<Waiting>(sql`
        SELECT page.received_at AS "receivedAt", page.provider, page.provider_reference AS reference,
          known.id IS NOT NULL AS "isKnown"
        FROM (
          SELECT received_at, provider, provider_reference FROM parked_report
          WHERE received_at >= ${from.receivedAt} AND received_at < now() - interval '10 seconds'
            AND (received_at, provider, provider_reference) > (${from.receivedAt}, ${from.provider}, ${from.reference})
          ORDER BY received_at, provider, provider_reference LIMIT ${limit}) page
        LEFT JOIN LATERAL (
          SELECT id FROM delivery WHERE provider = page.provider AND provider_reference = page.provider_reference
            AND provider_reference IS NOT NULL LIMIT 1) known ON true
        ORDER BY page.received_at, page.provider, page.provider_reference`),
    );
  }

  /** Those that would expire now, though something was reported of them. */
  reportedInVain(limit: number): Promise<Pick<Waiting, 'provider' | 'reference'>[]> {
    return byIndex(this.database, (transaction) =>
      transaction.query(sql`
        SELECT due.provider, due.provider_reference AS reference FROM (
          SELECT provider, provider_reference FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
          ORDER BY next_attempt_at LIMIT ${limit}) due
        CROSS JOIN LATERAL (
          SELECT FROM parked_report
          WHERE provider = due.provider AND provider_reference = due.provider_reference LIMIT 1) parked`),
    );
  }

  /** Tells how many were forgotten. */
  async prune(keptMs: number, limit: number): Promise<number> {
    return this.database.execute(sql`
      DELETE FROM parked_report WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM parked_report WHERE received_at < now() - ${keptMs}::float8 * interval '1 millisecond'
        ORDER BY received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`);
  }

  /** Ends what was waited for long enough; tells of as many as `limit`. */
  expire(limit: number, { code, message }: Reason): Promise<Conclusion> {
    return byIndex(this.database, async (transaction) => {
      const changes = await transaction.query<Change>(sql`
        UPDATE delivery SET state = 'expired', next_attempt_at = NULL, error_code = ${code},
          error_message = ${message}, updated_at = now()
        WHERE ctid = ANY (ARRAY(
          SELECT ctid FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
            AND NOT EXISTS (SELECT FROM parked_report WHERE parked_report.provider = delivery.provider
              AND parked_report.provider_reference = delivery.provider_reference)
          ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))
        RETURNING ${changeColumns}`);
      return { changes, callbackIds: await follow(transaction, changes) };
    });
  }
}
