import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ClaimRepository } from './claim.repository.js';

const restMs = 60_000;
const mostAtOnce = 500;

/** Kept answers hold personal data, so they go when their day is over. Every gateway does it, a little at a time. */
@Injectable()
export class ClaimPruner {
  constructor(private readonly repository: ClaimRepository) {}

  /** Tells whether there may be more. */
  @Periodic('removing old idempotency claims', restMs)
  async prune(): Promise<boolean> {
    return (await this.repository.prune(mostAtOnce)) === mostAtOnce;
  }
}
