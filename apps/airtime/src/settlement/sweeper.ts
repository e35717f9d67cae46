import { setTimeout as delay } from 'node:timers/promises';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ClaimedPurchase } from '../purchase.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { SettlementService } from './settlement.service.js';
import { noProvider, SettlementRepository } from './settlement.repository.js';

const intervalMs = 1_000;
const maxInFlight = 32;
const maxBatch = 8;
/** Purchases of one provider in flight before a round, so that a hanging provider leaves slots for the others. */
const maxPerProvider = 16;

/** Claims due purchases: new ones whose event was lost, those whose worker died, and those to be queried again. */
@Injectable()
export class Sweeper implements OnApplicationShutdown {
  private readonly inFlight = new Map<Promise<void>, ClaimedPurchase>();

  constructor(
    private readonly repository: SettlementRepository,
    private readonly settlement: SettlementService,
    private readonly schedule: SettlementSchedule,
    private readonly logger: AppLogger,
  ) {}

  /** No round runs any more by then. */
  onApplicationShutdown(): Promise<void> {
    return this.idle();
  }

  /** Does not wait for the claimed purchases, so that a hanging provider delays only its own. Returns whether to go on. */
  @Periodic('claiming due airtime purchases', intervalMs)
  async sweep(): Promise<boolean> {
    const limit = Math.min(maxBatch, maxInFlight - this.inFlight.size);
    const busy = this.findBusyProviders();
    const claimed = limit > 0 ? await this.repository.claimDue(limit, this.schedule.leaseMs, busy) : [];
    for (const purchase of claimed) {
      const resuming = this.resume(purchase).finally(() => this.inFlight.delete(resuming));
      this.inFlight.set(resuming, purchase);
    }
    if (claimed.length === 0 && (limit === 0 || busy.length > 0)) {
      await Promise.race([...this.inFlight.keys(), delay(intervalMs, undefined, { ref: false })]);
    }
    return claimed.length === limit || busy.length > 0;
  }

  /** Waits for all claimed purchases. */
  async idle(): Promise<void> {
    await Promise.all(this.inFlight.keys());
  }

  private findBusyProviders(): string[] {
    const counts = new Map<string, number>();
    for (const { provider } of this.inFlight.values()) {
      counts.set(provider ?? noProvider, (counts.get(provider ?? noProvider) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= maxPerProvider).map(([provider]) => provider);
  }

  private async resume(purchase: ClaimedPurchase): Promise<void> {
    const { id: operationId, organisationId, requestId } = purchase;
    await runInContext(newContext({ operationId, organisationId, requestId }), async () => {
      try {
        await this.settlement.resume(purchase);
      } catch (error) {
        this.logger.warn(
          { err: error, purchase: purchase.id },
          'a due purchase could not be settled; it is retried',
        );
      }
    });
  }
}
