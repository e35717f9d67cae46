import type { DeliveryLane } from '@gangan/database';
import { maxStartMs } from '@gangan/leases';
import { parseDurations } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { MessagingConfig } from '../../messaging.config.js';
import type { IfUnanswered } from '../../providers/message-provider.js';

/** OTPs and bulk messages: each class has its own schedule, slots and share of a provider's rate. */
export type TrafficClass = DeliveryLane;

/** What providers can do for one delivery. */
export interface ProviderRoute {
  /** The route that leads to the last provider, which is stored with the attempt; `null` if there is none. */
  readonly routeId: string | null;
  readonly providersPerRound: number;
  /** Whether this round has a provider after the last one that was tried. */
  readonly hasNextProvider: boolean;
  /** Whether the route has another provider that may take it, now or later. */
  readonly hasOtherProvider: boolean;
  /** Whether the last provider can be asked about an attempt with an unknown outcome. */
  readonly canAsk: boolean;
  /** What follows an attempt without an answer; absent: it is repeated. */
  readonly ifUnanswered?: IfUnanswered | undefined;
  /** When the last provider is asked for the state of a message that it accepted; absent if it is not. */
  readonly pollAfterMs?: number | undefined;
}

/** When a delivery is tried again. One round tries each provider once. */
export interface RetryPolicy extends ProviderRoute {
  readonly validityMs: number;
  /** The delay after each round; the round after the last delay is the last. */
  readonly delaysMs: readonly number[];
  /** How often a provider is asked after the last attempt. */
  readonly askIntervalMs: number;
  /** The longest time between two looks at a delivery whose providers are not available. */
  readonly maxUnroutableMs: number;
}

const maxUnroutable: Readonly<Record<TrafficClass, number>> = { otp: 30_000, sms: 300_000 };

const oneProvider: ProviderRoute = {
  routeId: null,
  providersPerRound: 1,
  hasNextProvider: false,
  hasOtherProvider: false,
  canAsk: false,
};

/** No delivery waits in memory for longer: its organisation may be suspended, and other workers may be faster. */
const maxBufferMs = 10_000;

/** The configured policies, and the time limits that follow from them. */
@Injectable()
export class RetryPolicies {
  readonly timeoutMs: number;
  /** Long enough to ask, to submit and to store the outcome. */
  readonly leaseMs: number;
  /** A submission starts within this time after its claim, or the lease is renewed first. */
  readonly startMs: number;
  /** How long deliveries that were claimed when they were inserted wait for their submission. */
  readonly bufferMs: number;
  readonly validityMs: number;
  private readonly delaysMs: Readonly<Record<TrafficClass, readonly number[]>>;

  constructor(config: MessagingConfig) {
    this.timeoutMs = config.DELIVERY_PROVIDER_TIMEOUT_MS;
    this.leaseMs = 4 * this.timeoutMs;
    this.startMs = Math.min(maxStartMs, this.timeoutMs);
    this.bufferMs = Math.min(maxBufferMs, this.timeoutMs);
    this.validityMs = parseDurations(config.DELIVERY_VALIDITY)?.at(-1) ?? 0;
    this.delaysMs = {
      sms: parseDurations(config.DELIVERY_RETRY_AFTER) ?? [],
      otp: parseDurations(config.DELIVERY_OTP_RETRY_AFTER) ?? [],
    };
  }

  /** How long after a claim, or after it was confirmed, a submission can still be in flight. */
  get inFlightMs(): number {
    return this.startMs + this.timeoutMs;
  }

  policyFor(trafficClass: TrafficClass, route = oneProvider): RetryPolicy {
    const delaysMs = this.delaysMs[trafficClass];
    const askIntervalMs = delaysMs.at(-1) ?? this.timeoutMs;
    const maxUnroutableMs = maxUnroutable[trafficClass];
    return { delaysMs, askIntervalMs, maxUnroutableMs, validityMs: this.validityMs, ...route };
  }
}
