import { command, Database, sql, statement, t } from '@gangan/database';
import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy, settleAll } from '../grouping.js';
import { snapshotColumns, snapshotShape } from '../outcome/apply-transitions.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { RetryPolicies } from '../outcome/retry-policy.js';
import { byIndex } from '../transactions.js';
import { ReportsService } from './reports.service.js';

const expireIntervalMs = 1_000;
const matchIntervalMs = 60_000;
const maxPerRound = 500;
const maxParkedPerRound = 2_000;
const dayMs = 24 * 3_600_000;

/** Sent deliveries whose validity period is over, without a parked report. */
const findUnreported = statement(
  snapshotShape,
  (limit: number) => sql`
    SELECT ${snapshotColumns} FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
      AND NOT EXISTS (SELECT FROM parked_report WHERE parked_report.provider = delivery.provider
        AND parked_report.provider_reference = delivery.provider_reference)
    ORDER BY next_attempt_at LIMIT ${limit}`,
);

/** Parked reports of deliveries that would expire now. */
const findParkedOfExpiring = statement(
  { provider: t.text, reference: t.text },
  (limit: number) => sql`
    SELECT due.provider, due.provider_reference AS reference FROM (
      SELECT provider, provider_reference FROM delivery WHERE state = 'sent' AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT ${limit}) due
    CROSS JOIN LATERAL (
      SELECT FROM parked_report
      WHERE provider = due.provider AND provider_reference = due.provider_reference LIMIT 1) parked`,
);

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

const pruneParked = command(
  (keptMs: number, limit: number) => sql`
    DELETE FROM parked_report WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM parked_report WHERE received_at < now() - ${keptMs}::float8 * interval '1 millisecond'
      ORDER BY received_at LIMIT ${limit} FOR UPDATE SKIP LOCKED))`,
);

/** Expires deliveries without a report, and matches or removes parked reports. */
@Injectable()
export class ReportSweeper {
  private lastParked = start;

  constructor(
    private readonly database: Database,
    private readonly reports: ReportsService,
    private readonly outcomes: OutcomeService,
    private readonly policies: RetryPolicies,
  ) {}

  /** Deliveries with a parked report get the reported state. They run apart, because a refund may wait for a wallet. */
  @Periodic('expiring deliveries without a report', expireIntervalMs)
  async expire(): Promise<boolean> {
    const [expired] = await settleAll([
      this.expireUnreported(),
      byIndex(this.database)
        .run(findParkedOfExpiring, maxPerRound)
        .then((parked) => this.match(parked)),
    ]);
    return expired === maxPerRound;
  }

  /** Each round reads the next page: a worker may have died between storing a reference and matching its reports. */
  @Periodic('matching parked reports', matchIntervalMs)
  async matchParked(): Promise<boolean> {
    const page = await byIndex(this.database).run(findParkedPage, this.lastParked, maxParkedPerRound);
    this.lastParked = page[maxParkedPerRound - 1] ?? start;
    await this.match(page.filter(({ isMatched }) => isMatched));
    // Longer than any delivery waits for its report.
    const keptMs = Math.max(3 * dayMs, this.policies.validityMs + dayMs);
    return (await this.database.run(pruneParked, keptMs, maxPerRound)) === maxPerRound;
  }

  private async expireUnreported(): Promise<number> {
    const deliveries = await byIndex(this.database).run(findUnreported, maxPerRound);
    await this.outcomes.recordAll(deliveries.map((delivery) => ({ delivery, event: { type: 'expired' } })));
    return deliveries.length;
  }

  private async match(parked: readonly Omit<Cursor, 'receivedAt'>[]): Promise<void> {
    for (const [provider, group] of groupBy(parked, (report) => report.provider)) {
      await this.reports.matchParked(
        provider,
        group.map(({ reference }) => reference),
      );
    }
  }
}
