import { Database, type RowOf, sql, statement, t } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { SweepsWhen } from '@gangan/leases';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy, awaitAll } from '../grouping.js';
import { snapshotColumns, snapshotShape } from '../outcome/apply-transitions.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { ReportsService } from './reports.service.js';

const matchIntervalMs = 60_000;
const maxPerRun = 500;
const maxParkedPerRun = 2_000;

/** The last sent delivery that was read while looking for expired ones. */
interface ExpiryCursor {
  readonly validUntil: Date;
  readonly id: string;
}

const firstExpiry: ExpiryCursor = { validUntil: new Date(0), id: nilUuid };

/** Sent deliveries whose validity period is over, each with whether a report about it is parked. */
const findExpiring = statement(
  { validUntil: t.timestamp, provider: t.text, reference: t.text, isReported: t.bool, ...snapshotShape },
  (after: ExpiryCursor, limit: number) => sql`
    SELECT due.*, EXISTS (
      SELECT FROM parked_report WHERE provider = due.provider AND provider_reference = due.reference) AS "isReported"
    FROM (
      SELECT next_attempt_at AS "validUntil", coalesce(provider, '') AS provider,
        coalesce(provider_reference, '') AS reference, ${snapshotColumns}
      FROM delivery WHERE state = 'sent' AND next_attempt_at <= now() AND next_attempt_at >= ${after.validUntil}
        AND (next_attempt_at, id) > (${after.validUntil}, ${after.id}::uuid)
      ORDER BY next_attempt_at, id LIMIT ${limit}) due`,
);

const isAnyExpiring = statement(
  { isDue: t.bool },
  () =>
    sql`SELECT EXISTS (SELECT FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()) AS "isDue"`,
);

type ExpiringDelivery = RowOf<typeof findExpiring>;

interface Cursor {
  readonly receivedAt: Date;
  readonly provider: string;
  readonly reference: string;
}

const start: Cursor = { receivedAt: new Date(0), provider: '', reference: '' };

/** Oldest first, each with whether its delivery has the reference by now. */
const findParkedPage = statement(
  { receivedAt: t.timestamp, provider: t.text, reference: t.text, isMatched: t.bool },
  (after: Cursor, limit: number) => sql`
    SELECT page.received_at AS "receivedAt", page.provider, page.provider_reference AS reference,
      known.is_known IS NOT NULL AS "isMatched"
    FROM (
      SELECT received_at, provider, provider_reference FROM parked_report
      WHERE received_at >= ${after.receivedAt} AND received_at < now() - interval '10 seconds'
        AND (received_at, provider, provider_reference) > (${after.receivedAt}, ${after.provider}, ${after.reference})
      ORDER BY received_at, provider, provider_reference LIMIT ${limit}) page
    LEFT JOIN LATERAL (
      (SELECT true AS is_known FROM provider_reference
       WHERE provider = page.provider AND reference = page.provider_reference LIMIT 1)
      UNION ALL
      (SELECT true FROM delivery WHERE provider = page.provider AND provider_reference = page.provider_reference
         AND provider_reference IS NOT NULL LIMIT 1)
      LIMIT 1) known ON true
    ORDER BY page.received_at, page.provider, page.provider_reference`,
);

/** Expires deliveries without a report, and matches parked reports. */
@Injectable()
export class ReportSweeper {
  private lastParked = start;
  private lastExpiring = firstExpiry;

  constructor(
    private readonly database: Database,
    private readonly reports: ReportsService,
    private readonly outcomes: OutcomeService,
  ) {}

  /**
   * Each run reads the next page, so deliveries whose reports cannot be applied do not delay those after them. Parked
   * reports are applied separately, because a refund may wait for a wallet.
   */
  @SweepsWhen(isAnyExpiring, 'expiring deliveries without a report')
  async expire(): Promise<boolean> {
    const page = await this.database.run(findExpiring, this.lastExpiring, maxPerRun);
    this.lastExpiring = page[maxPerRun - 1] ?? firstExpiry;
    const reported = page.filter(({ isReported }) => isReported);
    await awaitAll([
      this.expireAll(page.filter(({ isReported }) => !isReported)),
      ...[...groupBy(reported, ({ provider }) => provider)].map(([provider, group]) =>
        this.matchOrExpire(provider, group),
      ),
    ]);
    return page.length === maxPerRun;
  }

  /** Each run reads the next page: a worker may have died between storing a reference and matching its reports. */
  @Periodic('matching parked reports', matchIntervalMs)
  async matchParked(): Promise<boolean> {
    const page = await this.database.run(findParkedPage, this.lastParked, maxParkedPerRun);
    this.lastParked = page[maxParkedPerRun - 1] ?? start;
    const matched = page.filter(({ isMatched }) => isMatched);
    for (const [provider, group] of groupBy(matched, (report) => report.provider))
      await this.reports.matchParked(
        provider,
        group.map(({ reference }) => reference),
      );
    return false;
  }

  /** Deliveries with a parked report get its state. All others expire. */
  private async matchOrExpire(provider: string, deliveries: readonly ExpiringDelivery[]): Promise<void> {
    await this.reports.matchParked(
      provider,
      deliveries.map(({ reference }) => reference),
    );
    await this.expireAll(deliveries);
  }

  /** A delivery that changed since it was read keeps its state. */
  private async expireAll(deliveries: readonly ExpiringDelivery[]): Promise<void> {
    await this.outcomes.recordAll(deliveries.map((delivery) => ({ delivery, event: { type: 'expired' } })));
  }
}
