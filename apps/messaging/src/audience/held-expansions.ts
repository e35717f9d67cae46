import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { RetryPolicies } from '../outcome/retry-policy.js';
import { AudienceRepository } from './audience.repository.js';

const intervalMs = 5_000;

/** Ends expansions of suspended organisations, with a refund, when it is too late to send their messages. */
@Injectable()
export class HeldExpansions {
  constructor(
    private readonly repository: AudienceRepository,
    private readonly policies: RetryPolicies,
  ) {}

  @Periodic('ending held expansions', intervalMs)
  async endLapsed(): Promise<boolean> {
    const claimed = await this.repository.claimHeld(this.policies.validityMs);
    if (claimed) await this.repository.finish(claimed, 'failed');
    return claimed !== undefined;
  }
}
