import { parseDurations, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { suspended } from '../outcome/reasons.js';
import { AudienceRepository } from './audience.repository.js';

const intervalMs = 5_000;

/** Ends expansions of suspended organisations, with a refund, when it is too late to send their messages. */
@Injectable()
export class HeldExpansions {
  private readonly validityMs: number;

  constructor(
    private readonly repository: AudienceRepository,
    { DELIVERY_VALIDITY }: MessagingConfig,
  ) {
    this.validityMs = parseDurations(DELIVERY_VALIDITY)?.at(-1) ?? 0;
  }

  @Periodic('ending held expansions', intervalMs)
  async endLapsed(): Promise<boolean> {
    const claimed = await this.repository.claimHeld(this.validityMs);
    if (claimed) await this.repository.fail(claimed, suspended.message);
    return claimed !== undefined;
  }
}
