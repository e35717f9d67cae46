import { AppLogger, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { CallbackConfig } from '../callback.config.js';
import { CallbackMetrics } from '../callback-metrics.js';
import { UpkeepRepository } from './upkeep.repository.js';

const restMs = 600_000;
const mostAtOnce = 500;

/** Removes what is old. */
@Injectable()
export class Pruner {
  constructor(
    private readonly repository: UpkeepRepository,
    private readonly config: CallbackConfig,
    private readonly metrics: CallbackMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Tells whether there may be more. */
  @Periodic('removing old callbacks', restMs)
  async prune(): Promise<boolean> {
    const { CALLBACK_KEPT_DAYS: kept, CALLBACK_ANSWERS_KEPT_DAYS: answersKept } = this.config;
    const counts = [
      await this.repository.forgetAnswers(answersKept, mostAtOnce),
      await this.giveUp(kept),
      await this.repository.removeEnded(kept, mostAtOnce),
      await this.repository.forgetHosts(kept, mostAtOnce),
    ];
    return counts.includes(mostAtOnce);
  }

  private async giveUp(afterDays: number): Promise<number> {
    const count = await this.repository.giveUp(afterDays, mostAtOnce);
    if (count > 0) {
      this.metrics.countGivenUp(count);
      this.logger.warn(
        { count, afterDays },
        'callbacks were given up: they could not be delivered for too long',
      );
    }
    return count;
  }
}
