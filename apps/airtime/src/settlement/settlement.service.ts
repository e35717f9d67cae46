import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import { type ClaimedPurchase, referenceOf } from '../purchase.js';
import { PurchaseOutcomes } from './outcomes.js';
import { SettlementRepository } from './settlement.repository.js';
import { PurchaseSubmitter } from './submitter.js';
import { unknownOutcome } from './transition.js';

/** Settles purchases: submits those that were not submitted, and queries the providers of the others. */
@Injectable()
export class SettlementService {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly submitter: PurchaseSubmitter,
    private readonly outcomes: PurchaseOutcomes,
    private readonly providers: AirtimeProviders,
    private readonly logger: AppLogger,
  ) {}

  /** Settles a new purchase. Never fails: a purchase that is not settled here becomes due, and the sweeper claims it. */
  async settle(id: string): Promise<void> {
    try {
      const purchase = await this.repository.findNew(id);
      if (purchase) await this.submitter.submit(purchase);
    } catch (error) {
      this.logger.warn(
        { err: error, purchase: id },
        'a purchase could not be settled; the sweeper retries it',
      );
    }
  }

  /** Continues a purchase that the sweeper claimed. */
  async resume(purchase: ClaimedPurchase): Promise<void> {
    const { state, resolution, providerReference } = purchase;
    if (state === 'pending') return this.submitter.submit(purchase);
    if (resolution === 'success' || resolution === 'failed')
      return this.outcomes.apply(purchase, { kind: 'resolved', state: resolution });
    const provider = this.providers.findByName(purchase.provider ?? '');
    const query = { reference: referenceOf(purchase), providerReference };
    const result = provider
      ? await this.outcomes.call(purchase, (signal) => provider.query(query, signal))
      : unknownOutcome;
    return this.outcomes.apply(purchase, result);
  }

  /** Ends a purchase that was held until it was too late to submit it. */
  endLapsed(purchase: ClaimedPurchase): Promise<void> {
    return this.outcomes.apply(purchase, { kind: 'lapsed' });
  }
}
