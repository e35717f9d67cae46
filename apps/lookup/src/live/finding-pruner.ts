import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { FindingRepository } from './finding.repository.js';

const restMs = 600_000;
const mostAtOnce = 500;

/** What providers said is personal data, so it goes when nobody believes it any more. */
@Injectable()
export class FindingPruner {
  constructor(private readonly repository: FindingRepository) {}

  @Periodic('removing old findings of live look-ups', restMs)
  async prune(): Promise<boolean> {
    return (await this.repository.prune(mostAtOnce)) === mostAtOnce;
  }
}
