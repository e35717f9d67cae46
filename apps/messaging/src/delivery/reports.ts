import { Injectable } from '@nestjs/common';
import type { Reason } from '../providers/message-provider.js';
import { Aftermath } from './aftermath.js';
import { DeliveryMetrics } from './delivery-metrics.js';
import { grouped } from './grouped.js';
import { insist } from './insist.js';
import { isRefundable } from './reasons.js';
import { type Ending, type Found, ReportsRepository } from './reports.repository.js';

/** What a provider tells later about a message that it took. */
export interface DeliveryReport {
  readonly providerReference: string;
  /** That a carrier has it (`sent`) is known from the answer, and changes nothing. */
  readonly state: 'sent' | Ending['state'];
  readonly reason?: Reason | undefined;
}

/** A report that may change something. */
interface FinalReport extends DeliveryReport {
  readonly state: Ending['state'];
}

const longestReference = 255;

/**
 * The one door for reports of providers. They may come early, late, twice, out of order, or for what nobody knows: the
 * first that ends a delivery counts, and what meets no delivery is parked until the delivery has its reference.
 */
@Injectable()
export class Reports {
  constructor(
    private readonly repository: ReportsRepository,
    private readonly aftermath: Aftermath,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Throws when they could not be written down: whoever brings them brings them again. */
  async receive(provider: string, reports: readonly DeliveryReport[]): Promise<void> {
    const unmatched = await this.apply(provider, reports.filter(isUseful));
    if (unmatched.length === 0) return;
    this.metrics.countParked(provider, unmatched.length);
    await this.repository.park(provider, unmatched);
    // The reference may have been written down in between, by somebody who did not see the parked report yet.
    await this.match(
      provider,
      unmatched.map(({ providerReference }) => providerReference),
    );
  }

  /** Heeds what was parked for these references. To be called after the commit that wrote them down. */
  async match(provider: string, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    const parked = await this.repository.parked(provider, references);
    if (parked.length === 0) return;
    const unmatched = new Set(await this.apply(provider, parked));
    const matched = parked.filter((report) => !unmatched.has(report));
    await this.repository.unpark(
      provider,
      matched.map(({ providerReference }) => providerReference),
    );
  }

  /** Gives those that meet no delivery. */
  private async apply(provider: string, reports: readonly FinalReport[]): Promise<readonly FinalReport[]> {
    if (reports.length === 0) return [];
    const found = await this.repository.find(
      provider,
      reports.map(({ providerReference }) => providerReference),
    );
    const endings = new Map<string, Ending>();
    for (const report of reports) {
      const delivery = found.get(report.providerReference);
      if (delivery?.state !== 'sent' || endings.has(delivery.id)) continue;
      endings.set(delivery.id, endingOf(delivery, report));
    }
    const groups = groupsOf([...endings.values()]);
    const ended = await Promise.allSettled(groups.map((together) => this.end(together)));
    const failed = ended.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return reports.filter(({ providerReference }) => !found.has(providerReference));
  }

  private async end(endings: readonly Ending[]): Promise<void> {
    await this.aftermath.tell(await insist(() => this.repository.end(endings)));
  }
}

/** What no provider can have given as a reference is no report either. */
const isUseful = (report: DeliveryReport): report is FinalReport =>
  report.state !== 'sent' &&
  report.providerReference.length <= longestReference &&
  !report.providerReference.includes('\0');

const endingOf = ({ id, organisationId }: Found, { state, reason }: FinalReport): Ending => ({
  ...{ id, organisationId, reason, state },
  refunded: state === 'undelivered' && isRefundable(reason?.code),
});

/** What moves money goes by organisation: a wallet that stays locked holds up no strangers. */
function groupsOf(endings: readonly Ending[]): Ending[][] {
  const groups = grouped(endings, ({ refunded, organisationId }) => (refunded ? organisationId : ''));
  return [...groups.values()];
}
