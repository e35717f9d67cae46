import { CallbackAnnouncer } from '@gangan/callbacks';
import { callProvider } from '@gangan/protocol';
import type { Cost } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeMetrics } from '../airtime.metrics.js';
import type { QueryResult, SubmitResult, TopUpResult } from '../providers/airtime-provider.js';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import type { ClaimedPurchase } from '../purchase.js';
import { type FinishInput, PurchaseFinisher } from './finish-purchases.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { SettlementRepository } from './settlement.repository.js';
import { isFinish, type PurchaseEvent, transition, unknownOutcome, type Wait } from './transition.js';

/** Calls providers about purchases, and stores what follows from their results. */
@Injectable()
export class PurchaseOutcomes {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly providers: AirtimeProviders,
    private readonly finisher: PurchaseFinisher,
    private readonly schedule: SettlementSchedule,
    private readonly callbacks: CallbackAnnouncer,
    private readonly metrics: AirtimeMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** A call that fails or times out has an unknown outcome; a result that arrives after the timeout still counts. */
  call<T extends SubmitResult | QueryResult>(
    purchase: ClaimedPurchase,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | TopUpResult> {
    return callProvider<T | TopUpResult>(call, this.schedule.callTimeoutMs, {
      fallback: unknownOutcome,
      onError: (error) => {
        const { id, provider } = purchase;
        this.logger.warn({ err: error, purchase: id, provider }, 'a provider call failed');
      },
      onLateResult: (result) => this.applyLate(purchase, result),
    });
  }

  /** Stores the next state of a purchase, with its money and its callback. */
  async apply(purchase: ClaimedPurchase, event: PurchaseEvent): Promise<void> {
    const next = transition(purchase, event, this.schedule);
    if (isFinish(next)) return this.finish({ purchase, ...next, usualCost: this.usualCostOf(purchase) });
    const callbackIds = await this.move(purchase, next);
    if (!callbackIds) return;
    if (next.to === 'error') {
      this.metrics.ended.inc({ outcome: 'error' });
      this.logger.error(
        logFields(purchase),
        'the outcome of an airtime purchase is still unknown: ask the provider, then run pnpm admin airtime resolve',
      );
    }
    await this.callbacks.announce(callbackIds);
  }

  private usualCostOf({ provider, network, kobo }: ClaimedPurchase): Cost | undefined {
    return this.providers.findByName(provider ?? '')?.costOf?.(network, kobo);
  }

  /** Possibly no other worker gets this result, so a failure to store it is logged with all data needed to recover it. */
  private async applyLate(purchase: ClaimedPurchase, result: SubmitResult | QueryResult): Promise<void> {
    try {
      if (result.kind === 'success' || result.kind === 'failed' || result.kind === 'declined')
        await this.apply(purchase, result);
      else if (result.kind === 'unknown' && result.providerReference !== undefined)
        await this.repository.storeReference(purchase.id, result.providerReference);
    } catch (error) {
      this.logger[result.kind === 'success' ? 'error' : 'warn'](
        { err: error, ...logFields(purchase), result },
        'a late result of a provider could not be stored: ask the provider about the purchase',
      );
    }
  }

  /** The reference may be all by which the provider can be asked: it is kept even if another worker has the claim. */
  private async move(purchase: ClaimedPurchase, next: Wait): Promise<readonly string[] | undefined> {
    const { providerReference } = next;
    try {
      const callbackIds = await this.repository.moveTo(purchase, next);
      if (!callbackIds && providerReference !== undefined)
        await this.repository.storeReference(purchase.id, providerReference);
      return callbackIds;
    } catch (error) {
      if (providerReference !== undefined)
        this.logger.warn(
          { err: error, ...logFields(purchase), providerReference },
          'the reference of a provider could not be stored: ask the provider about the purchase by it',
        );
      throw error;
    }
  }

  private async finish(input: FinishInput): Promise<void> {
    const { outcome, callbackIds } = await this.finisher.finish(input);
    if (outcome === 'finished') this.metrics.ended.inc({ outcome: input.to });
    const { requestId } = input.purchase;
    this.logger.debug(
      { requestId, ...logFields(input.purchase), outcome, state: input.to },
      'purchase ended',
    );
    if (outcome === 'loss') this.metrics.losses.inc();
    if (outcome in faults)
      this.logger.error(logFields(input.purchase), faults[outcome as keyof typeof faults]);
    await this.callbacks.announce(callbackIds);
  }
}

/** Outcomes that an operator has to know. */
const faults = {
  loss: 'airtime was delivered after its refund and booked as a loss',
  unexpected:
    'a provider reported success for a purchase that was not submitted: check whether it was delivered',
};

const logFields = ({ id: purchase, organisationId, provider }: ClaimedPurchase) => ({
  purchase,
  organisationId,
  provider,
});
