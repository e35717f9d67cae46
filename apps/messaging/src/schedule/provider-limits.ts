import { setTimeout as sleep } from 'node:timers/promises';
import { type Limit, type LimitDecision, Queues } from '@gangan/queue';
import { Inject, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import type { MessageProvider } from '../providers/message-provider.js';
import { ProviderHealth } from '../providers/health/provider-health.js';

const maxDelayMs = 1_000;
/** The part of a provider's rate that is reserved for OTPs. */
const otpShare = 0.1;
/** The part of a provider's rate that one permit can take, so that others get permits in between. */
const maxShare = 0.25;

/** A provider with limits of its own; those that are absent are configured. */
export type LimitedProvider = Pick<MessageProvider, 'name' | 'rate' | 'burst' | 'window' | 'batchSize'>;

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

  constructor(private size: number) {}

  resize(size: number): void {
    this.size = size;
    this.admit();
  }

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
  private readonly defaultWindow: number;
  private readonly defaultRate: number;
  private readonly windows = new Map<string, ProviderWindow>();

  constructor(
    @Inject(Queues) private readonly queues: Pick<Queues, 'limits'>,
    @Inject(ProviderHealth) private readonly health: Pick<ProviderHealth, 'rateOf'>,
    config: MessagingConfig,
  ) {
    this.defaultWindow = config.DELIVERY_PROVIDER_WINDOW;
    this.defaultRate = config.DELIVERY_PROVIDER_RATE;
  }

  /** Recipients per second of a provider; 0 if there is no limit. */
  perSecond(provider: LimitedProvider): number {
    return this.health.rateOf(provider);
  }

  /** The value of `perSecond` while the provider is not slowed down. */
  configuredPerSecond({ rate = this.defaultRate }: LimitedProvider): number {
    return rate;
  }

  /** How many of the calls in flight to a provider may have deliveries that were claimed on insert. */
  maxBufferedCalls({ window = this.defaultWindow }: LimitedProvider): number {
    return Math.ceil(window / 2);
  }

  async acquire(provider: LimitedProvider, trafficClass: TrafficClass, wanted: number): Promise<Permit> {
    const recipients = Math.min(wanted, provider.batchSize ?? Infinity);
    const window = this.windowOf(provider);
    await window.acquire(trafficClass);
    const release = (): void => {
      window.release(trafficClass);
    };
    try {
      return { recipients: await this.takeTokens(provider, trafficClass, recipients), release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** OTPs take the reserved tokens first, then the common ones. */
  private async takeTokens(provider: LimitedProvider, trafficClass: TrafficClass, recipients: number) {
    const { name, burst = 1 } = provider;
    for (;;) {
      // The rate changes when the provider is slowed down.
      const perSecond = this.perSecond(provider);
      if (perSecond === 0) return recipients;
      const otpPerSecond = perSecond < 2 ? 0 : Math.max(1, Math.floor(perSecond * otpShare));
      const wanted = Math.min(recipients, Math.ceil(perSecond * maxShare));
      const reserved =
        trafficClass === 'otp' ? await this.take(`provider:${name}:otp`, otpPerSecond, burst, wanted) : [];
      const left = wanted - countAllowed(reserved);
      const common = await this.take(`provider:${name}`, perSecond - otpPerSecond, burst, left);
      const granted = countAllowed(reserved) + countAllowed(common);
      if (granted > 0) return granted;
      const nextInMs = Math.min(...[...reserved, ...common].map((refused) => refused.nextInMs));
      await sleep(Math.min(maxDelayMs, Math.max(1, nextInMs)));
    }
  }

  private windowOf({ name, window = this.defaultWindow }: LimitedProvider): ProviderWindow {
    const known = this.windows.get(name);
    known?.resize(window);
    if (known) return known;
    const created = new ProviderWindow(window);
    this.windows.set(name, created);
    return created;
  }

  private take(bucket: string, perSecond: number, part: number, count: number): Promise<LimitDecision[]> {
    if (perSecond === 0) return Promise.resolve([]);
    const limit: Limit = { perSecond, burst: Math.max(1, perSecond * part) };
    return Promise.all(Array.from({ length: count }, () => this.queues.limits.take(bucket, limit)));
  }
}

const countAllowed = (taken: readonly LimitDecision[]): number =>
  taken.filter(({ allowed }) => allowed).length;
