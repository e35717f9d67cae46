import { setTimeout as pause } from 'node:timers/promises';
import { Queues } from '@gangan/queue';
import { Inject, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';

/** For longer than this nobody waits at once: meanwhile the wish may have become pointless. */
const longestPauseMs = 1_000;

/** Leave to make one call. */
export interface Leave {
  /** For how many recipients: at least one. */
  readonly recipients: number;
  end(): void;
}

/** Keeps providers from being given more than they take: so many calls at once, so many recipients per second. */
@Injectable()
export class Throttle {
  private readonly perSecond: number;
  private readonly window: number;
  private readonly underWay = new Map<string, number>();
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(
    @Inject(Queues) private readonly queues: Pick<Queues, 'limits'>,
    config: MessagingConfig,
  ) {
    this.perSecond = config.DELIVERY_PROVIDER_RATE;
    this.window = config.DELIVERY_PROVIDER_WINDOW;
  }

  /** Waits for as long as it takes. */
  async enter(provider: string, recipients: number): Promise<Leave> {
    await this.place(provider);
    const end = (): void => {
      this.free(provider);
    };
    return { recipients: this.perSecond === 0 ? recipients : await this.tokens(provider, recipients), end };
  }

  private async place(provider: string): Promise<void> {
    const count = this.underWay.get(provider) ?? 0;
    if (count < this.window) {
      this.underWay.set(provider, count + 1);
      return;
    }
    await new Promise<void>((go) => {
      const others = this.waiting.get(provider);
      if (others) others.push(go);
      else this.waiting.set(provider, [go]);
    });
  }

  /** Who waits takes the place over. */
  private free(provider: string): void {
    const next = this.waiting.get(provider)?.shift();
    if (next) next();
    else this.underWay.set(provider, (this.underWay.get(provider) ?? 1) - 1);
  }

  /** All workers share a provider's tokens. */
  private async tokens(provider: string, recipients: number): Promise<number> {
    const limit = { perSecond: this.perSecond, burst: this.perSecond };
    for (;;) {
      const wishes = Array.from({ length: Math.min(recipients, this.perSecond) }, () =>
        this.queues.limits.take(`provider:${provider}`, limit),
      );
      const taken = await Promise.all(wishes);
      const granted = taken.filter(({ allowed }) => allowed).length;
      if (granted > 0) return granted;
      const nextInMs = Math.min(...taken.map((refused) => refused.nextInMs));
      await pause(Math.min(longestPauseMs, Math.max(1, nextInMs)));
    }
  }
}
