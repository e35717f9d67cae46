import { retryTransient } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import { withoutWords } from '../providers/discretion.js';
import type { Reason } from '../providers/message-provider.js';
import { cleanReason, cleanReference } from '../providers/provider-text.js';
import { Aftermath } from '../outcome/effects.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { grouped } from '../grouped.js';
import { OwnReferences } from './own-references.js';
import { isRefundable } from '../outcome/reasons.js';
import { type Ending, type Found, ReportsRepository } from './reports.repository.js';

/** What a provider tells later about a message that it took. It names it by its own reference, by ours, or by both. */
export interface DeliveryReport {
  readonly providerReference?: string | undefined;
  /** The delivery's id. */
  readonly reference?: string | undefined;
  /** That a carrier has it (`sent`) is known from the answer, and changes nothing. */
  readonly state: 'sent' | Ending['state'];
  readonly reason?: Reason | undefined;
}

/** A report that may change something. */
interface FinalReport extends DeliveryReport {
  readonly state: Ending['state'];
}

/**
 * The one door for reports of providers. They may come early, late, twice, out of order, or for what nobody knows: the
 * first that ends a delivery counts, and what meets no delivery is parked until the delivery has its reference.
 */
@Injectable()
export class Reports {
  constructor(
    private readonly repository: ReportsRepository,
    private readonly ownReferences: OwnReferences,
    private readonly aftermath: Aftermath,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** Throws when they could not be written down: whoever brings them brings them again. */
  async receive(provider: string, reports: readonly DeliveryReport[]): Promise<void> {
    const unmatched = await this.apply(provider, reports.map(clean).filter(isFinal));
    if (unmatched.length === 0) return;
    this.metrics.countParked(provider, unmatched.length);
    const parked = unmatched.flatMap(({ providerReference, ...report }) =>
      providerReference === undefined ? [] : [{ ...report, providerReference }],
    );
    await this.repository.park(provider, parked);
    // The reference may have been written down in between, by somebody who did not see the parked report yet.
    await this.match(
      provider,
      parked.map(({ providerReference }) => providerReference),
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
    const found = await this.find(provider, reports);
    const endings = new Map<string, Ending>();
    for (const report of reports) {
      const delivery = found.get(report);
      if (delivery?.state !== 'sent' || endings.has(delivery.id)) continue;
      endings.set(delivery.id, endingOf(delivery, report));
    }
    const groups = groupsOf([...endings.values()]);
    const ended = await Promise.allSettled(groups.map((together) => this.end(together)));
    const failed = ended.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return reports.filter((report) => !found.has(report));
  }

  private async find(
    provider: string,
    reports: readonly FinalReport[],
  ): Promise<ReadonlyMap<FinalReport, Found>> {
    const references = reports.flatMap(({ providerReference }) => providerReference ?? []);
    const theirs = await this.repository.find(provider, references);
    const others = reports.filter(({ providerReference }) => !theirs.has(providerReference ?? ''));
    const ours = await this.ownReferences.find(provider, others);
    return new Map(
      reports.flatMap((report) => {
        const found = theirs.get(report.providerReference ?? '') ?? ours.get(report.reference ?? '');
        return found ? [[report, found] as const] : [];
      }),
    );
  }

  private async end(endings: readonly Ending[]): Promise<void> {
    await this.aftermath.tell(await retryTransient(() => this.repository.end(endings)));
  }
}

const clean = ({ providerReference, reference, state, reason }: DeliveryReport): DeliveryReport => ({
  ...{ providerReference: cleanReference(providerReference), reference: reference?.toLowerCase(), state },
  reason: reason && cleanReason(reason),
});

const isFinal = (report: DeliveryReport): report is FinalReport => report.state !== 'sent';

const endingOf = ({ id, organisationId, lane }: Found, { state, reason }: FinalReport): Ending => ({
  ...{ id, organisationId, state, reason: reason && lane === 'otp' ? withoutWords(reason) : reason },
  refunded: state === 'undelivered' && isRefundable(reason?.code),
});

/** What moves money goes by organisation: a wallet that stays locked holds up no strangers. */
function groupsOf(endings: readonly Ending[]): Ending[][] {
  const groups = grouped(endings, ({ refunded, organisationId }) => (refunded ? organisationId : ''));
  return [...groups.values()];
}
