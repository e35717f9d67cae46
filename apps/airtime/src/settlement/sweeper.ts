import { FairSlots, SweepsWhen } from '@gangan/leases';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { ClaimedPurchase } from '../purchase.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { isPurchaseOpen, noProvider, SettlementRepository } from './settlement.repository.js';
import { SettlementService } from './settlement.service.js';

const maxWaitMs = 1_000;
const heldIntervalMs = 10_000;
const maxHeldPerRun = 100;
const maxBatch = 8;

/** Claims due purchases: new ones whose event was lost, those whose worker died, and those to be queried again. */
@Injectable()
export class Sweeper implements OnApplicationShutdown {
  /** Slots by provider, so that a provider that does not respond cannot occupy all of them. */
  private readonly slots = new FairSlots({ total: 32, perKey: 16 });

  constructor(
    private readonly repository: SettlementRepository,
    private readonly settlement: SettlementService,
    private readonly schedule: SettlementSchedule,
    private readonly logger: AppLogger,
  ) {}

  /** The periodic task has stopped before this is called. */
  onApplicationShutdown(): Promise<void> {
    return this.idle();
  }

  /** Does not wait for the claimed purchases. Returns whether there may be more. */
  @SweepsWhen(isPurchaseOpen, 'claiming due airtime purchases')
  async sweep(): Promise<boolean> {
    const limit = Math.min(maxBatch, this.slots.free);
    const busy = this.slots.fullKeys();
    const claimed = limit > 0 ? await this.repository.claimDue(limit, busy) : [];
    for (const purchase of claimed) {
      void this.resume(purchase).finally(this.slots.take(purchase.provider ?? noProvider));
    }
    if (claimed.length === 0 && (limit === 0 || busy.length > 0)) await this.slots.released(maxWaitMs);
    return claimed.length === limit || busy.length > 0;
  }

  /** Refunds purchases of suspended organisations that were held for as long as an unreachable provider is tried. */
  @Periodic('ending held airtime purchases', heldIntervalMs)
  async endLapsed(): Promise<boolean> {
    const lapsed = await this.repository.claimHeld(maxHeldPerRun, this.schedule.giveUpAfterMs);
    await Promise.all(lapsed.map((purchase) => this.settlement.endLapsed(purchase)));
    return lapsed.length === maxHeldPerRun;
  }

  idle(): Promise<void> {
    return this.slots.idle();
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
