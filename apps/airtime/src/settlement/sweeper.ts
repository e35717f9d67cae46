import { newContext, runInContext } from '@gangan/protocol';
import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Held } from './held.js';
import { Patience } from './patience.js';
import { Settlement } from './settlement.js';
import { SettlementRepository } from './settlement.repository.js';

const restMs = 1_000;
const mostAtOnce = 32;

/** Takes up what is overdue: new purchases whose event was lost, calls whose worker died, questions whose time has come. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly repeating: Repeating;

  constructor(
    private readonly repository: SettlementRepository,
    private readonly settlement: Settlement,
    private readonly patience: Patience,
    private readonly logger: AppLogger,
  ) {
    this.repeating = new Repeating('taking up overdue airtime', restMs, () => this.sweep(), logger);
  }

  onApplicationBootstrap(): void {
    this.repeating.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.repeating.stop();
  }

  /** Tells whether there may be more. */
  async sweep(): Promise<boolean> {
    const overdue = await this.repository.takeOverdue(mostAtOnce, this.patience.leaseMs);
    await Promise.all(overdue.map((held) => this.resume(held)));
    return overdue.length === mostAtOnce;
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
