import {
  bool,
  command,
  Database,
  type DeliveryLane,
  type DeliveryState,
  enumOf,
  float,
  int,
  nullable,
  type RowOf,
  sql,
  statement,
  text,
  timestamp,
  uuid,
} from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { ReportedState } from '../outcome/transition.js';
import type { Reason } from '../providers/message-provider.js';
import { redactReason } from '../providers/provider-text.js';
import { byIndex } from '../transactions.js';

const deliveryShape = {
  id: uuid,
  organisationId: uuid,
  trafficClass: enumOf<DeliveryLane>('delivery_lane'),
  state: enumOf<DeliveryState>('delivery_state'),
  attempt: int,
  ageMs: float,
  unsure: bool,
};

const deliveryColumns = sql`
  id, organisation_id AS "organisationId", lane AS "trafficClass", state, attempt,
  extract(epoch FROM now() - created_at)::float8 * 1000 AS "ageMs", state = 'submitting' AS unsure`;

/** The delivery that a report is about. */
export type FoundDelivery = RowOf<{ readonly shape: typeof deliveryShape }>;

/** A report that matched no delivery when it arrived. */
export interface ParkedReport {
  readonly providerReference: string;
  readonly state: ReportedState;
  readonly reason?: Reason | undefined;
}

/** A parked report in a page, and whether its delivery has the reference by now. */
export type PagedReport = RowOf<typeof findParkedPage>;

interface Cursor {
  readonly receivedAt: Date;
  readonly provider: string;
  readonly reference: string;
}

const findByProviderReference = statement(
  { reference: text, ...deliveryShape },
  (provider: string, references: readonly string[]) => sql`
    SELECT given.reference, found.* FROM unnest(${references}::text[]) AS given (reference) CROSS JOIN LATERAL (
      SELECT ${deliveryColumns} FROM delivery
      WHERE provider = ${provider} AND provider_reference = given.reference AND provider_reference IS NOT NULL
      LIMIT 1) found`,
);

/** Only deliveries whose last attempt went to this provider. */
const findById = statement(
  deliveryShape,
  (provider: string, ids: readonly string[]) => sql`
    SELECT found.* FROM unnest(${ids}::uuid[]) AS named (id) CROSS JOIN LATERAL (
      SELECT ${deliveryColumns} FROM delivery
      WHERE id = named.id AND provider = ${provider} AND state <> 'queued' LIMIT 1) found`,
);

const findUnreported = statement(
  deliveryShape,
  (limit: number) => sql`
    SELECT ${deliveryColumns} FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
      AND NOT EXISTS (SELECT FROM parked_report WHERE parked_report.provider = delivery.provider
        AND parked_report.provider_reference = delivery.provider_reference)
    ORDER BY next_attempt_at LIMIT ${limit}`,
);

const park = command(
  (provider: string, reports: readonly ParkedReport[]) => sql`
    INSERT INTO parked_report (provider, provider_reference, state, error_code)
    SELECT ${provider}, reference, state::delivery_state, code
    FROM unnest(${reports.map(({ providerReference }) => providerReference)}::text[],
      ${reports.map(({ state }) => state)}::text[],
      ${reports.map(({ reason }) => (reason ? redactReason(reason).code : null))}::text[])
      AS given (reference, state, code)
    ON CONFLICT DO NOTHING`,
);

const findParked = statement(
  {
    providerReference: text,
    state: enumOf<ReportedState>('delivery_state'),
    code: nullable(text),
    receivedAt: timestamp,
  },
  (provider: string, references: readonly string[]) => sql`
    SELECT found.* FROM unnest(${references}::text[]) AS named (reference) CROSS JOIN LATERAL (
      SELECT provider_reference AS "providerReference", state, error_code AS code, received_at AS "receivedAt"
      FROM parked_report WHERE provider = ${provider} AND provider_reference = named.reference LIMIT 10) found
    ORDER BY found."receivedAt"`,
);

const removeParked = command(
  (provider: string, references: readonly string[]) => sql`
    DELETE FROM parked_report WHERE provider = ${provider} AND provider_reference = ANY (${references}::text[])`,
);

const findParkedPage = statement(
  { receivedAt: timestamp, provider: text, reference: text, isMatched: bool },
  (after: Cursor, limit: number) => sql`
    SELECT page.received_at AS "receivedAt", page.provider, page.provider_reference AS reference,
      known.id IS NOT NULL AS "isMatched"
    FROM (
      SELECT received_at, provider, provider_reference FROM parked_report
      WHERE received_at >= ${after.receivedAt} AND received_at < now() - interval '10 seconds'
        AND (received_at, provider, provider_reference) > (${after.receivedAt}, ${after.provider}, ${after.reference})
      ORDER BY received_at, provider, provider_reference LIMIT ${limit}) page
    LEFT JOIN LATERAL (
      SELECT id FROM delivery WHERE provider = page.provider AND provider_reference = page.provider_reference
        AND provider_reference IS NOT NULL LIMIT 1) known ON true
    ORDER BY page.received_at, page.provider, page.provider_reference`,
);

const findParkedOfExpiring = statement(
  { provider: text, reference: text },
  (limit: number) => sql`
    SELECT due.provider, due.provider_reference AS reference FROM (
      SELECT provider, provider_reference FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT ${limit}) due
    CROSS JOIN LATERAL (
      SELECT FROM parked_report
      WHERE provider = due.provider AND provider_reference = due.provider_reference LIMIT 1) parked`,
);

const pruneParked = command(
  (keptMs: number, limit: number) => sql`
    DELETE FROM parked_report WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM parked_report WHERE received_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      ORDER BY received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

@Injectable()
export class ReportsRepository {
  constructor(private readonly database: Database) {}

  async findByProviderReference(
    provider: string,
    references: readonly string[],
  ): Promise<ReadonlyMap<string, FoundDelivery>> {
    const rows = await this.database.run(findByProviderReference, provider, references);
    return new Map(rows.map((row) => [row.reference, row]));
  }

  findById(provider: string, ids: readonly string[]): Promise<FoundDelivery[]> {
    return this.database.run(findById, provider, ids);
  }

  /** Sent deliveries whose validity period is over, without a parked report. */
  findUnreported(limit: number): Promise<FoundDelivery[]> {
    return byIndex(this.database).run(findUnreported, limit);
  }

  /** A duplicate is stored once. Only the code is kept: the message of an OTP report could repeat the token. */
  async park(provider: string, reports: readonly ParkedReport[]): Promise<void> {
    await this.database.run(park, provider, reports);
  }

  /** In the order of arrival. */
  async findParked(provider: string, references: readonly string[]): Promise<ParkedReport[]> {
    const rows = await this.database.run(findParked, provider, references);
    return rows.map(({ providerReference, state, code }) => ({
      ...{ providerReference, state },
      ...(code !== null && { reason: { code, message: '' } }),
    }));
  }

  async removeParked(provider: string, references: readonly string[]): Promise<void> {
    if (references.length > 0) await byIndex(this.database).run(removeParked, provider, references);
  }

  /** Oldest first. */
  findParkedPage(after: PagedReport | undefined, limit: number): Promise<PagedReport[]> {
    const from = after ?? { receivedAt: new Date(0), provider: '', reference: '' };
    return byIndex(this.database).run(findParkedPage, from, limit);
  }

  /** Parked reports of deliveries that would expire now. */
  findParkedOfExpiring(limit: number): Promise<RowOf<typeof findParkedOfExpiring>[]> {
    return byIndex(this.database).run(findParkedOfExpiring, limit);
  }

  /** @returns how many were removed */
  prune(keptMs: number, limit: number): Promise<number> {
    return this.database.run(pruneParked, keptMs, limit);
  }
}
