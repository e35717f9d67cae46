import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ClaimRepository } from './claim.repository.js';

const aboutEveryMs = 60_000;
const atOnce = 500;

/** Kept answers hold personal data, so they go when their day is over. Every gateway does it, a little at a time. */
@Injectable()
export class ClaimPruner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly pruning: Repeating;

  constructor(repository: ClaimRepository, logger: AppLogger) {
    const prune = async (): Promise<boolean> => (await repository.prune(atOnce)) === atOnce;
    this.pruning = new Repeating('removing old idempotency claims', aboutEveryMs, prune, logger);
  }

  onApplicationBootstrap(): void {
    this.pruning.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pruning.stop();
  }
}
