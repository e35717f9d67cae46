import type { DeliveryLane } from '@gangan/database';
import { parseDurations } from '@gangan/runtime';
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
  private readonly pauses: Readonly<Record<DeliveryLane, readonly number[]>>;

  constructor(config: MessagingConfig) {
    this.callMs = config.DELIVERY_PROVIDER_TIMEOUT_MS;
    this.leaseMs = 4 * this.callMs;
    this.validityMs = parseDurations(config.DELIVERY_VALIDITY)?.at(-1) ?? 0;
    this.pauses = {
      sms: parseDurations(config.DELIVERY_RETRY_AFTER) ?? [],
      otp: parseDurations(config.DELIVERY_OTP_RETRY_AFTER) ?? [],
    };
  }

  /** Until the next attempt after this one, where each round tries so many providers; nothing when that was the last. */
  afterRound(lane: DeliveryLane, attempt: number, providers: number): number | undefined {
    return this.isLast(lane, attempt, providers)
      ? undefined
      : this.pauses[lane][Math.ceil(attempt / providers) - 1];
  }

  /** Until a provider is asked again about what it may have. */
  untilAskedAgainMs(lane: DeliveryLane): number {
    return this.pauses[lane].at(-1) ?? this.callMs;
  }

  /** Until what may have been taken has waited for its report long enough. */
  leftMs(ageMs: number): number {
    return Math.max(0, Math.ceil(this.validityMs - ageMs));
  }

  isLast(lane: DeliveryLane, attempt: number, providers: number): boolean {
    return attempt >= providers * (this.pauses[lane].length + 1);
  }
}
