import { Injectable } from '@nestjs/common';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { type Occurrence, OutcomeService } from '../outcome/outcome.service.js';
import type { DeliveryEvent, ReportedState } from '../outcome/transition.js';
import type { Reason } from '../providers/message-provider.js';
import { cleanReason, cleanReference, redactReason } from '../providers/provider-text.js';
import { ReportedDeliveries, type References } from './reported-deliveries.js';
import { type FoundDelivery, ReportsRepository } from './reports.repository.js';

/** What a provider reports later about a message that it accepted. */
export interface DeliveryReport extends References {
  /** `sent` is known from the submission and changes nothing. */
  readonly state: 'sent' | ReportedState;
  readonly reason?: Reason | undefined;
}

interface FinalReport extends DeliveryReport {
  readonly state: ReportedState;
}

/**
 * Receives all delivery reports. They can arrive early, late, twice or out of order. The first final report counts. A report
 * that matches no delivery is parked until a delivery gets its reference.
 */
@Injectable()
export class ReportsService {
  constructor(
    private readonly repository: ReportsRepository,
    private readonly deliveries: ReportedDeliveries,
    private readonly outcomes: OutcomeService,
    private readonly metrics: DeliveryMetrics,
  ) {}

  /** @throws if a report could not be stored: the caller must deliver all of them again */
  async receive(provider: string, reports: readonly DeliveryReport[]): Promise<void> {
    const unmatched = await this.apply(provider, reports.map(clean).filter(isFinal));
    if (unmatched.length === 0) return;
    this.metrics.parked.inc({ provider }, unmatched.length);
    const parked = unmatched.flatMap(({ providerReference, ...report }) =>
      providerReference === undefined ? [] : [{ ...report, providerReference }],
    );
    await this.repository.park(provider, parked);
    // A worker may have stored the reference before it could see the parked report.
    await this.matchParked(
      provider,
      parked.map(({ providerReference }) => providerReference),
    );
  }

  /** Applies the parked reports of these references. Call it after the commit that stores the references. */
  async matchParked(provider: string, references: readonly string[]): Promise<void> {
    if (references.length === 0) return;
    const parked = await this.repository.findParked(provider, references);
    if (parked.length === 0) return;
    const unmatched = new Set<FinalReport>(await this.apply(provider, parked));
    const matched = parked.filter((report) => !unmatched.has(report));
    await this.repository.removeParked(
      provider,
      matched.map(({ providerReference }) => providerReference),
    );
  }

  /** @returns those that match no delivery */
  private async apply(provider: string, reports: readonly FinalReport[]): Promise<readonly FinalReport[]> {
    if (reports.length === 0) return [];
    const found = await this.deliveries.find(provider, reports);
    const first = new Map<string, Occurrence>();
    for (const [report, delivery] of found)
      if (!first.has(delivery.id)) first.set(delivery.id, { delivery, event: eventOf(delivery, report) });
    await this.outcomes.recordAll([...first.values()]);
    return reports.filter((report) => !found.has(report));
  }
}

const clean = ({ providerReference, reference, state, reason }: DeliveryReport): DeliveryReport => ({
  ...{ providerReference: cleanReference(providerReference), reference: reference?.toLowerCase(), state },
  reason: reason && cleanReason(reason),
});

const isFinal = (report: DeliveryReport): report is FinalReport => report.state !== 'sent';

const eventOf = ({ trafficClass }: FoundDelivery, { state, reason }: FinalReport): DeliveryEvent => ({
  ...{ type: 'reported', state },
  reason: reason && trafficClass === 'otp' ? redactReason(reason) : reason,
});
