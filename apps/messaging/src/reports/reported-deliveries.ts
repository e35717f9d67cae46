import { isId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { OutcomeService } from '../outcome/outcome.service.js';
import { type FoundDelivery, ReportsRepository } from './reports.repository.js';

/** How a report identifies its delivery. */
export interface References {
  readonly providerReference?: string | undefined;
  /** The delivery's id. */
  readonly reference?: string | undefined;
}

/** A provider's result can be stored meanwhile; then the delivery is read again. */
const maxRounds = 3;

/** Finds the deliveries that reports are about: by the provider's reference, or by ours where a provider repeats it. */
@Injectable()
export class ReportedDeliveries {
  constructor(
    private readonly repository: ReportsRepository,
    private readonly outcomes: OutcomeService,
  ) {}

  async find<T extends References>(
    provider: string,
    reports: readonly T[],
  ): Promise<ReadonlyMap<T, FoundDelivery>> {
    const references = reports.flatMap(({ providerReference }) => providerReference ?? []);
    const theirs = await this.repository.findByProviderReference(provider, references);
    const others = reports.filter(({ providerReference }) => !theirs.has(providerReference ?? ''));
    const ours = await this.findByOwnReference(provider, others);
    return new Map(
      reports.flatMap((report) => {
        const found = theirs.get(report.providerReference ?? '') ?? ours.get(report.reference ?? '');
        return found ? [[report, found] as const] : [];
      }),
    );
  }

  /** A reported delivery was accepted, even if the provider's answer never arrived: it becomes `sent` first. */
  private async findByOwnReference(
    provider: string,
    reports: readonly References[],
  ): Promise<ReadonlyMap<string, FoundDelivery>> {
    const byId = new Map(reports.map((report) => [report.reference ?? '', report]));
    const known = new Map<string, FoundDelivery>();
    let open = [...byId.keys()].filter(isId);
    for (let round = 1; open.length > 0 && round <= maxRounds; round += 1) {
      const found = await this.repository.findById(provider, open);
      const submitting = found.filter(({ state }) => state === 'submitting');
      // Not all: another worker may have stored the result meanwhile, or begun the next attempt.
      const changed = await this.outcomes.recordAll(
        submitting.map((delivery) => {
          const { providerReference } = byId.get(delivery.id) ?? {};
          return { delivery, event: { type: 'accepted', providerReference } };
        }),
      );
      const accepted = new Set(changed.map(({ id }) => id));
      for (const delivery of found) {
        if (delivery.state !== 'submitting') known.set(delivery.id, delivery);
        else if (accepted.has(delivery.id)) known.set(delivery.id, { ...delivery, state: 'sent' });
      }
      open = found.map(({ id }) => id).filter((id) => !known.has(id));
    }
    return known;
  }
}
