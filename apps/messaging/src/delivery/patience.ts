import { durationsOf } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';

/** How long is waited for what. */
@Injectable()
export class Patience {
  /** For an answer of a provider. */
  readonly callMs: number;
  /** A claim asks and submits, one after the other, and writes down what came of it: then it is over, come what may. */
  readonly leaseMs: number;
  readonly validityMs: number;
  private readonly pauses: readonly number[];

  constructor(config: MessagingConfig) {
    this.callMs = config.DELIVERY_PROVIDER_TIMEOUT_MS;
    this.leaseMs = 4 * this.callMs;
    this.validityMs = durationsOf(config.DELIVERY_VALIDITY)?.at(-1) ?? 0;
    this.pauses = durationsOf(config.DELIVERY_RETRY_AFTER) ?? [];
  }

  /** Until the next attempt after this one, where each round tries so many providers; nothing when that was the last. */
  afterRound(attempt: number, providers: number): number | undefined {
    return this.isLast(attempt, providers) ? undefined : this.pauses[Math.ceil(attempt / providers) - 1];
  }

  /** Until a provider is asked again about what it may have. */
  get untilAskedAgainMs(): number {
    return this.pauses.at(-1) ?? this.callMs;
  }

  /** Until what may have been taken has waited for its report long enough. */
  leftMs(ageMs: number): number {
    return Math.max(0, Math.ceil(this.validityMs - ageMs));
  }

  isLast(attempt: number, providers: number): boolean {
    return attempt >= providers * (this.pauses.length + 1);
  }
}
