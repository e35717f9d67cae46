import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { FindingRepository } from './finding.repository.js';

const aboutEveryMs = 600_000;
const atOnce = 500;

/** What providers said is personal data, so it goes when nobody believes it any more. */
@Injectable()
export class FindingPruner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly pruning: Repeating;

  constructor(repository: FindingRepository, logger: AppLogger) {
    const prune = async (): Promise<boolean> => (await repository.prune(atOnce)) === atOnce;
    this.pruning = new Repeating('removing old findings of live look-ups', aboutEveryMs, prune, logger);
  }

  onApplicationBootstrap(): void {
    this.pruning.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.pruning.stop();
  }
}
