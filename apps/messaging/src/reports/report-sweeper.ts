import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { groupBy, settleAll } from '../grouping.js';
import { OutcomeService } from '../outcome/outcome.service.js';
import { RetryPolicies } from '../outcome/retry-policy.js';
import { type PagedReport, ReportsRepository } from './reports.repository.js';
import { ReportsService } from './reports.service.js';

const expireIntervalMs = 1_000;
const tidyIntervalMs = 60_000;
const maxPerRound = 500;
const maxParkedPerRound = 2_000;
const dayMs = 24 * 3_600_000;

/** Expires deliveries without a report, and matches or removes parked reports. */
@Injectable()
export class ReportSweeper {
  private lastParked: PagedReport | undefined;

  constructor(
    private readonly repository: ReportsRepository,
    private readonly reports: ReportsService,
    private readonly outcomes: OutcomeService,
    private readonly policies: RetryPolicies,
  ) {}

  /** Deliveries with a parked report get its state instead. Its refund may wait for a wallet; the others do not. */
  @Periodic('expiring deliveries without a report', expireIntervalMs)
  async expire(): Promise<boolean> {
    const [expired] = await settleAll([
      this.expireUnreported(),
      this.repository.findParkedOfExpiring(maxPerRound).then((parked) => this.match(parked)),
    ]);
    return expired === maxPerRound;
  }

  /** Each round reads the next page: a worker may have died between storing a reference and matching its reports. */
  @Periodic('tidying parked reports', tidyIntervalMs)
  async tidy(): Promise<boolean> {
    const page = await this.repository.findParkedPage(this.lastParked, maxParkedPerRound);
    this.lastParked = page.length === maxParkedPerRound ? page.at(-1) : undefined;
    await this.match(page.filter(({ isMatched }) => isMatched));
    // Longer than any delivery waits for its report.
    const keptMs = Math.max(3 * dayMs, this.policies.validityMs + dayMs);
    return (await this.repository.prune(keptMs, maxPerRound)) === maxPerRound;
  }

  private async expireUnreported(): Promise<number> {
    const deliveries = await this.repository.findUnreported(maxPerRound);
    await this.outcomes.recordAll(deliveries.map((delivery) => ({ delivery, event: { type: 'expired' } })));
    return deliveries.length;
  }

  private async match(parked: readonly Pick<PagedReport, 'provider' | 'reference'>[]): Promise<void> {
    for (const [provider, group] of groupBy(parked, (report) => report.provider)) {
      await this.reports.matchParked(
        provider,
        group.map(({ reference }) => reference),
      );
    }
  }
}
