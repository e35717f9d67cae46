import { Injectable } from '@nestjs/common';
import { isLastAttempt, remainingMs } from '../outcome/retry-delays.js';
import { RetryPolicies, type RetryPolicy } from '../outcome/retry-policy.js';
import type { DeliveryEvent } from '../outcome/transition.js';
import type { MessageProvider } from '../providers/message-provider.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import { type DeliveryRoute, Providers } from '../providers/providers.js';
import type { DueDelivery, FoundDelivery } from './claims.repository.js';

/** The provider to call, or the event that happens instead. */
export type NextStep = { readonly provider: MessageProvider } | { readonly event: DeliveryEvent };

/** What decides about the route of a delivery. */
export type Routable = Pick<
  DueDelivery,
  | 'id'
  | 'organisationId'
  | 'trafficClass'
  | 'mode'
  | 'channel'
  | 'sender'
  | 'category'
  | 'recipient'
  | 'portedTo'
>;

type Routed = Routable & Pick<DueDelivery, 'provider'>;

/** Chooses providers. While a provider may have a delivery, no other one gets it. */
@Injectable()
export class Router {
  constructor(
    private readonly providers: Providers,
    private readonly health: ProviderHealth,
    private readonly policies: RetryPolicies,
  ) {}

  resolveRoute(delivery: Routable): DeliveryRoute {
    return this.providers.routeFor(delivery);
  }

  /** The sender in the form that the provider gets; undefined if the provider must not get it. */
  originatorFor(provider: MessageProvider, sender: string, organisationId: string): string | undefined {
    return this.providers.originatorFor(provider.name, sender, organisationId);
  }

  /** The provider of a delivery that is about to be inserted; undefined if it must wait, or would test a provider. */
  providerForNew(delivery: Routable): MessageProvider | undefined {
    const first = this.resolveRoute(delivery).round.find(this.isAvailable);
    return first && this.health.isUp(first.name) ? first : undefined;
  }

  /** The next provider of the round that is available. If none is, the delivery waits. */
  nextStep(due: FoundDelivery): NextStep {
    if (due.outcomeUnknown && due.provider !== null) return this.sameProvider(due, due.provider);
    const { round } = this.resolveRoute(due);
    const next = round.findIndex(({ name }) => name === due.provider) + 1;
    const provider = [...round.slice(next), ...round.slice(0, next)].find(this.isAvailable);
    if (provider) return { provider };
    const delays = round.map(({ name }) => this.health.retryInMs(name));
    return { event: { type: 'unroutable', ...(delays.length > 0 && { retryInMs: Math.min(...delays) }) } };
  }

  /** @param called the provider that was called for this attempt: its settings may have changed since */
  policyFor(delivery: Routed, called?: MessageProvider): RetryPolicy {
    const { trafficClass, provider } = delivery;
    const { id, round } = this.resolveRoute(delivery);
    const next = round.findIndex(({ name }) => name === provider) + 1;
    return this.policies.policyFor(trafficClass, {
      // An unknown outcome may be that of a provider that the route no longer names.
      routeId: next === 0 ? null : id,
      providersPerRound: Math.max(1, round.length),
      hasNextProvider: round.slice(next).some(this.isAvailable),
      canAsk: called?.ask !== undefined,
      waitsIfUnanswered: called !== undefined && waitsIfUnanswered(called),
    });
  }

  isExhausted(delivery: Routed, attempt: number): boolean {
    return isLastAttempt(attempt, this.policyFor(delivery));
  }

  /** The provider may have the delivery, so no other one gets it, even if it has been disabled or has a new owner. */
  private sameProvider(due: FoundDelivery, name: string): NextStep {
    const provider = this.providers.findUsable(name, due);
    if (!provider) return { event: { type: 'unroutable' } };
    const isValid = remainingMs(due, this.policies) > 0;
    if (isValid && due.workerDeaths >= maxWorkerDeaths(provider)) return { event: { type: 'abandoned' } };
    if (provider.ask === undefined && due.hold !== null) return { event: { type: due.hold } };
    const retryInMs = this.health.retryInMs(name);
    const mayResubmit =
      !this.isExhausted(due, due.attempt) && !(due.unanswered && waitsIfUnanswered(provider));
    if (!isValid || (provider.ask === undefined && !mayResubmit)) return { event: { type: 'exhausted' } };
    return retryInMs === 0 ? { provider } : { event: { type: 'unroutable', retryInMs } };
  }

  private readonly isAvailable = ({ name }: MessageProvider): boolean => this.health.retryInMs(name) === 0;
}

/**
 * The deaths of workers after which a delivery is abandoned. One more if the provider can be asked: then no recipient gets
 * the message twice.
 */
const maxWorkerDeaths = (provider: MessageProvider): number => (provider.ask ? 3 : 2);

const waitsIfUnanswered = (provider: MessageProvider): boolean =>
  provider.ask === undefined && (provider.waitsIfUnanswered ?? false);
