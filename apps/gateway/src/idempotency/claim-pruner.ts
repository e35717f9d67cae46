import { AppLogger } from '@gangan/runtime';
import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ClaimRepository } from './claim.repository.js';

const aboutEveryMs = 60_000;
const atOnce = 500;

/** Kept answers hold personal data, so they go when their day is over. Every gateway does it, a little at a time. */
@Injectable()
export class ClaimPruner implements OnApplicationBootstrap, OnModuleDestroy {
  private timer?: NodeJS.Timeout;
  private stopped = false;

  constructor(
    private readonly repository: ClaimRepository,
    private readonly logger: AppLogger,
  ) {}

  onApplicationBootstrap(): void {
    this.schedule();
  }

  onModuleDestroy(): void {
    this.stopped = true;
    clearTimeout(this.timer);
  }

  /** Removes all whose day is over. */
  async prune(): Promise<void> {
    try {
      while (!this.stopped && (await this.repository.prune(atOnce)) === atOnce);
    } catch (error) {
      this.logger.warn({ err: error }, 'old idempotency claims were not removed; it is tried again');
    }
  }

  /** Not all gateways at the same moment. */
  private schedule(): void {
    if (this.stopped) return;
    this.timer = setTimeout(
      () => {
        void this.prune().then(() => {
          this.schedule();
        });
      },
      aboutEveryMs * (0.5 + Math.random()),
    ).unref();
  }
}
