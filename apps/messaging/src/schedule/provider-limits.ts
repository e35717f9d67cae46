import { setTimeout as sleep } from 'node:timers/promises';
import { type Limit, type LimitDecision, Queues } from '@gangan/queue';
import { Inject, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import type { TrafficClass } from '../outcome/retry-policy.js';

const maxDelayMs = 1_000;
/** The part of a provider's rate that is reserved for OTPs. */
const otpShare = 0.1;
/** The part of a provider's rate that one permit can take, so that others get permits in between. */
const maxShare = 0.25;

/** Permission for one call to a provider. */
export interface Permit {
  /** How many recipients the call may have: at least one. */
  readonly recipients: number;
  release(): void;
}

/** The calls that one provider may have in flight. One slot is reserved for OTPs, which also go first. */
class ProviderWindow {
  private readonly inFlight: Record<TrafficClass, number> = { otp: 0, sms: 0 };
  private readonly waiting: Record<TrafficClass, (() => void)[]> = { otp: [], sms: [] };

  constructor(private readonly size: number) {}

  acquire(trafficClass: TrafficClass): Promise<void> {
    return new Promise((resolve) => {
      this.waiting[trafficClass].push(resolve);
      this.admit();
    });
  }

  release(trafficClass: TrafficClass): void {
    this.inFlight[trafficClass] -= 1;
    this.admit();
  }

  private admit(): void {
    for (const trafficClass of ['otp', 'sms'] as const) {
      while (this.waiting[trafficClass].length > 0 && this.isFreeFor(trafficClass)) {
        this.inFlight[trafficClass] += 1;
        this.waiting[trafficClass].shift()?.();
      }
    }
  }

  private isFreeFor(trafficClass: TrafficClass): boolean {
    const { otp, sms } = this.inFlight;
    return otp + sms < this.size && (trafficClass === 'otp' || sms < Math.max(1, this.size - 1));
  }
}

/** Limits the load of each provider: calls in flight per worker, and recipients per second of all workers. */
@Injectable()
export class ProviderLimits {
  /** Recipients per second of each provider; 0 if there is no limit. */
  readonly perSecond: number;
  /** Of the calls in flight to a provider, how many may have deliveries that were claimed when they were inserted. */
  readonly maxBufferedCalls: number;
  private readonly otpPerSecond: number;
  private readonly windowSize: number;
  private readonly windows = new Map<string, ProviderWindow>();

  constructor(
    @Inject(Queues) private readonly queues: Pick<Queues, 'limits'>,
    config: MessagingConfig,
  ) {
    this.perSecond = config.DELIVERY_PROVIDER_RATE;
    this.otpPerSecond = this.perSecond < 2 ? 0 : Math.max(1, Math.floor(this.perSecond * otpShare));
    this.windowSize = config.DELIVERY_PROVIDER_WINDOW;
    this.maxBufferedCalls = Math.ceil(this.windowSize / 2);
  }

  async acquire(provider: string, trafficClass: TrafficClass, recipients: number): Promise<Permit> {
    const window = this.windows.get(provider) ?? new ProviderWindow(this.windowSize);
    this.windows.set(provider, window);
    await window.acquire(trafficClass);
    const release = (): void => {
      window.release(trafficClass);
    };
    if (this.perSecond === 0) return { recipients, release };
    try {
      return { recipients: await this.takeTokens(provider, trafficClass, recipients), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** OTPs take the reserved tokens first, then the common ones. */
  private async takeTokens(provider: string, trafficClass: TrafficClass, recipients: number) {
    const wanted = Math.min(recipients, Math.ceil(this.perSecond * maxShare));
    for (;;) {
      const reserved =
        trafficClass === 'otp' ? await this.take(`provider:${provider}:otp`, this.otpPerSecond, wanted) : [];
      const left = wanted - countAllowed(reserved);
      const common = await this.take(`provider:${provider}`, this.perSecond - this.otpPerSecond, left);
      const granted = countAllowed(reserved) + countAllowed(common);
      if (granted > 0) return granted;
      const nextInMs = Math.min(...[...reserved, ...common].map((refused) => refused.nextInMs));
      await sleep(Math.min(maxDelayMs, Math.max(1, nextInMs)));
    }
  }

  private take(bucket: string, perSecond: number, count: number): Promise<LimitDecision[]> {
    if (perSecond === 0) return Promise.resolve([]);
    const limit: Limit = { perSecond, burst: perSecond };
    return Promise.all(Array.from({ length: count }, () => this.queues.limits.take(bucket, limit)));
  }
}

const countAllowed = (taken: readonly LimitDecision[]): number =>
  taken.filter(({ allowed }) => allowed).length;
