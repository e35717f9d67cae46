import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryLane } from '@gangan/database';
import { type Limit, Queues, type LimitDecision } from '@gangan/queue';
import { Inject, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import { Places } from './provider-window.js';

/** For longer than this nobody waits at once: meanwhile the wish may have become pointless. */
const longestPauseMs = 1_000;
/** Of a provider's rate: what OTPs need not share with messages. */
const reservedPart = 0.1;
/** Of a provider's rate: the most that one turn takes, so that others come in between. */
const mostPerTurn = 0.25;

/** Leave to make one call. */
export interface Leave {
  /** For how many recipients: at least one. */
  readonly recipients: number;
  end(): void;
}

/**
 * Keeps providers from being given more than they take: so many calls at once, so many recipients per second. OTPs come
 * first: they have places and a part of the rate to themselves, and their share of the rest.
 */
@Injectable()
export class Throttle {
  private readonly perSecond: number;
  private readonly reserved: number;
  private readonly window: number;
  private readonly places = new Map<string, Places>();

  constructor(
    @Inject(Queues) private readonly queues: Pick<Queues, 'limits'>,
    config: MessagingConfig,
  ) {
    this.perSecond = config.DELIVERY_PROVIDER_RATE;
    this.reserved = this.perSecond < 2 ? 0 : Math.max(1, Math.floor(this.perSecond * reservedPart));
    this.window = config.DELIVERY_PROVIDER_WINDOW;
  }

  /** Waits for as long as it takes. */
  async enter(provider: string, lane: DeliveryLane, recipients: number): Promise<Leave> {
    const places = this.places.get(provider) ?? new Places(this.window);
    this.places.set(provider, places);
    await places.take(lane);
    const end = (): void => {
      places.free(lane);
    };
    if (this.perSecond === 0) return { recipients, end };
    try {
      return { recipients: await this.tokens(provider, lane, recipients), end };
    } catch (error) {
      end();
      throw error;
    }
  }

  private async tokens(provider: string, lane: DeliveryLane, recipients: number): Promise<number> {
    const wished = Math.min(recipients, Math.ceil(this.perSecond * mostPerTurn));
    for (;;) {
      const own = lane === 'otp' ? await this.take(`provider:${provider}:otp`, this.reserved, wished) : [];
      const left = wished - grantedOf(own);
      const common = await this.take(`provider:${provider}`, this.perSecond - this.reserved, left);
      const granted = grantedOf(own) + grantedOf(common);
      if (granted > 0) return granted;
      const nextInMs = Math.min(...[...own, ...common].map((refused) => refused.nextInMs));
      await pause(Math.min(longestPauseMs, Math.max(1, nextInMs)));
    }
  }

  /** All workers share a provider's tokens. */
  private take(bucket: string, perSecond: number, count: number): Promise<LimitDecision[]> {
    if (perSecond === 0) return Promise.resolve([]);
    const limit: Limit = { perSecond, burst: perSecond };
    return Promise.all(Array.from({ length: count }, () => this.queues.limits.take(bucket, limit)));
  }
}

const grantedOf = (taken: readonly LimitDecision[]): number => taken.filter(({ allowed }) => allowed).length;
