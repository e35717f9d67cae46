import { setTimeout as pause } from 'node:timers/promises';
import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Held } from './held.js';
import { Patience } from './patience.js';
import { Settlement } from './settlement.js';
import { nobody, SettlementRepository } from './settlement.repository.js';

const restMs = 1_000;
const mostInHand = 32;
const mostAtOnce = 8;
/** Of one provider, before a round; together with the round this leaves room for the others. */
const mostOfOne = 16;

/** Takes up what is overdue: new purchases whose event was lost, calls whose worker died, questions whose time has come. */
@Injectable()
export class Sweeper implements OnApplicationShutdown {
  private readonly inHand = new Map<Promise<void>, Held>();

  constructor(
    private readonly repository: SettlementRepository,
    private readonly settlement: Settlement,
    private readonly patience: Patience,
    private readonly logger: AppLogger,
  ) {}

  /** By then no round is under way any more. */
  onApplicationShutdown(): Promise<void> {
    return this.idle();
  }

  /**
   * Tells whether there may be more. What was taken up is not waited for, so that a provider that hangs holds up only
   * its own.
   */
  @Periodic('taking up overdue airtime', restMs)
  async sweep(): Promise<boolean> {
    const room = Math.min(mostAtOnce, mostInHand - this.inHand.size);
    const busy = this.busyProviders();
    const overdue = room > 0 ? await this.repository.takeOverdue(room, this.patience.leaseMs, busy) : [];
    for (const held of overdue) {
      const resuming = this.resume(held).finally(() => this.inHand.delete(resuming));
      this.inHand.set(resuming, held);
    }
    if (overdue.length === 0 && (room === 0 || busy.length > 0)) await this.someRoom();
    return overdue.length === room || busy.length > 0;
  }

  /** Waits for everything that was taken up. */
  async idle(): Promise<void> {
    await Promise.all(this.inHand.keys());
  }

  private async someRoom(): Promise<void> {
    await Promise.race([...this.inHand.keys(), pause(restMs, undefined, { ref: false })]);
  }

  private busyProviders(): string[] {
    const counts = new Map<string, number>();
    for (const { provider } of this.inHand.values()) {
      counts.set(provider ?? nobody, (counts.get(provider ?? nobody) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= mostOfOne).map(([provider]) => provider);
  }

  private async resume(held: Held): Promise<void> {
    const { id: operationId, organisationId, requestId } = held;
    const context = newContext({ operationId, organisationId, requestId });
    await runInContext(context, async () => {
      try {
        await this.settlement.resume(held);
      } catch (error) {
        this.logger.warn(
          { err: error, purchase: held.id },
          'an overdue purchase could not be taken further yet',
        );
      }
    });
  }
}
