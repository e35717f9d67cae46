import { Injectable } from '@nestjs/common';
import { isLastAttempt, remainingMs, RetryPolicies, type RetryPolicy } from '../outcome/retry-policy.js';
import type { DeliveryEvent } from '../outcome/transition.js';
import type { MessageProvider } from '../providers/message-provider.js';
import { Providers } from '../providers/providers.js';
import type { DueDelivery } from './claims.repository.js';

/** The provider to call, or the event that happens instead. */
export type NextStep = { readonly provider: MessageProvider } | { readonly event: DeliveryEvent };

type Routed = Pick<DueDelivery, 'trafficClass' | 'mode' | 'channel' | 'provider'>;

/** Chooses providers. While a provider may have a delivery, no other one gets it. */
@Injectable()
export class Router {
  constructor(
    private readonly providers: Providers,
    private readonly policies: RetryPolicies,
  ) {}

  nextStep(due: DueDelivery): NextStep {
    if (due.outcomeUnknown && due.provider !== null) return this.sameProvider(due, due.provider);
    const round = this.providers.roundFor(due.mode, due.channel);
    const last = round.findIndex(({ name }) => name === due.provider);
    const provider = round[(last + 1) % (round.length || 1)];
    return provider ? { provider } : { event: { type: 'unroutable' } };
  }

  policyFor({ trafficClass, mode, channel, provider }: Routed): RetryPolicy {
    const round = this.providers.roundFor(mode, channel);
    return this.policies.policyFor(trafficClass, {
      providersPerRound: Math.max(1, round.length),
      hasNextProvider: round.findIndex(({ name }) => name === provider) < round.length - 1,
      canAsk: this.providers.find(provider ?? '')?.ask !== undefined,
    });
  }

  isExhausted(delivery: Routed, attempt: number): boolean {
    return isLastAttempt(attempt, this.policyFor(delivery));
  }

  private sameProvider(due: DueDelivery, name: string): NextStep {
    const provider = this.providers.find(name);
    if (!provider) return { event: { type: 'unroutable' } };
    const canAsk = provider.ask !== undefined && remainingMs(due, this.policies) > 0;
    return canAsk || !this.isExhausted(due, due.attempt) ? { provider } : { event: { type: 'exhausted' } };
  }
}
