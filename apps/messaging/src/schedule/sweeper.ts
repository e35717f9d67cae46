import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { Aftermath } from '../outcome/effects.js';
import { allEnded } from '../all-ended.js';
import { ClaimsRepository } from '../submit/claims.repository.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { DeliveryService } from './schedule.service.js';
import { grouped } from '../grouped.js';
import { Patience } from '../outcome/retry-policy.js';
import { noReport } from '../outcome/reasons.js';
import { Reports } from '../reports/reports.service.js';
import { ReportsRepository, type Waiting } from '../reports/reports.repository.js';

const restMs = 1_000;
const tidyingRestMs = 60_000;
const mostAtOnce = 500;
const mostParkedAtOnce = 2_000;
const dayMs = 24 * 3_600_000;
const lanes = ['otp', 'sms'] as const;

/**
 * Finds what nobody else thinks of: deliveries whose event was lost, whose worker died, whose next attempt is due, whose
 * validity period is over; and reports that were parked in vain.
 */
@Injectable()
export class Sweeper {
  /** For longer than any delivery waits for its report. */
  private readonly parkedKeptMs: number;
  private lookedThrough: Waiting | undefined;

  constructor(
    private readonly claims: ClaimsRepository,
    private readonly service: DeliveryService,
    private readonly reports: Reports,
    private readonly repository: ReportsRepository,
    private readonly aftermath: Aftermath,
    private readonly metrics: DeliveryMetrics,
    patience: Patience,
  ) {
    this.parkedKeptMs = Math.max(3 * dayMs, patience.validityMs + dayMs);
  }

  /** Only finds out whose deliveries are overdue: slots are shared out elsewhere, and there is no more to do at once. */
  @Periodic('taking up overdue deliveries', restMs)
  async sweep(): Promise<boolean> {
    for (const lane of lanes) {
      const overdue = await this.claims.overdue(lane);
      this.metrics.overdue(lane, overdue[0]?.overdueMs ?? 0);
      for (const { organisationId } of overdue) this.service.wake({ lane, organisationId });
    }
    return false;
  }

  /** What is paid back because of a report may wait for a wallet; what has only expired does not. */
  @Periodic('ending deliveries without a report', restMs)
  async expire(): Promise<boolean> {
    const [ended] = await allEnded([
      this.endUnreported(),
      this.repository.reportedInVain(mostAtOnce).then((parked) => this.match(parked)),
    ]);
    return ended === mostAtOnce;
  }

  /** Each round looks through the next page of what is parked: a match may have been lost with a worker. */
  @Periodic('tidying parked reports', tidyingRestMs)
  async tidy(): Promise<boolean> {
    const page = await this.repository.page(this.lookedThrough, mostParkedAtOnce);
    this.lookedThrough = page.length === mostParkedAtOnce ? page.at(-1) : undefined;
    await this.match(page.filter(({ isKnown }) => isKnown));
    return (await this.repository.prune(this.parkedKeptMs, mostAtOnce)) === mostAtOnce;
  }

  private async endUnreported(): Promise<number> {
    const expired = await this.repository.expire(mostAtOnce, noReport);
    await this.aftermath.tell(expired);
    return expired.changes.length;
  }

  private async match(parked: readonly Pick<Waiting, 'provider' | 'reference'>[]): Promise<void> {
    for (const [provider, group] of grouped(parked, (report) => report.provider)) {
      await this.reports.match(
        provider,
        group.map(({ reference }) => reference),
      );
    }
  }
}
