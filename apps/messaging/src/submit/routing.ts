import { Injectable } from '@nestjs/common';
import { isLastAttempt, remainingMs } from '../outcome/retry/retry-delays.js';
import { RetryPolicies, type RetryPolicy } from '../outcome/retry/retry-policy.js';
import type { DeliveryEvent } from '../outcome/transition.js';
import type { IfUnanswered, MessageProvider } from '../providers/message-provider.js';
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

type Routed = Routable & Pick<DueDelivery, 'provider' | 'excludedProviders'>;

/** Chooses providers. While a provider may have a delivery, only settings or an operator let another one get it. */
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
    const { outcomeUnknown, resolution, hold } = due;
    const isResent = resolution === 'resend';
    // Settings or an operator let the last provider get what another one may have, and it refused it: the next one gets it.
    const isOnlyElsewhere = due.unansweredElsewhere && !due.unansweredHere;
    if (outcomeUnknown && resolution === 'refund') return { event: { type: 'refunded' } };
    if (outcomeUnknown && (isResent || isOnlyElsewhere)) {
      const isOver = remainingMs(due, this.policies) === 0;
      if (isOver || (!isResent && this.isExhausted(due, due.attempt)))
        return { event: { type: 'exhausted' } };
      if (hold !== null) return { event: { type: hold } };
    } else if (outcomeUnknown && due.provider !== null) return this.sameProvider(due, due.provider);
    const { following, earlier } = this.candidates(due);
    const provider = [...following, ...earlier].find(this.isAvailable);
    if (provider) return { provider };
    // Providers that are not in their quiet hours are not available now.
    if (due.quietMs !== null && due.quietMs > 0) return { event: { type: 'quiet', quietMs: due.quietMs } };
    const delays = [...following, ...earlier].map(({ name }) => this.health.retryInMs(name));
    return { event: { type: 'unroutable', ...(delays.length > 0 && { retryInMs: Math.min(...delays) }) } };
  }

  /** @param called the provider that was called for this attempt: its settings may have changed since */
  policyFor(delivery: Routed, called?: MessageProvider): RetryPolicy {
    const { trafficClass, provider } = delivery;
    const { id, round } = this.resolveRoute(delivery);
    const { following, earlier } = this.candidates(delivery);
    return this.policies.policyFor(trafficClass, {
      // An unknown outcome may be that of a provider that the route no longer names.
      routeId: round.some(({ name }) => name === provider) ? id : null,
      providersPerRound: Math.max(1, round.length),
      hasNextProvider: following.some(this.isAvailable),
      hasOtherProvider: [...following, ...earlier].some(({ name }) => name !== provider),
      // A provider that did not get it yet cannot be asked about the one that may have it.
      canAsk: called?.ask !== undefined && called.name === provider,
      ifUnanswered: called && this.ifUnanswered(called, following),
      pollAfterMs: called?.poll?.afterMs,
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
    const isUnanswered = (as: IfUnanswered): boolean => due.unanswered && ifUnanswered(provider) === as;
    // After an attempt without an answer, only an operator can have let it make the one that it refused.
    const mustWait = isUnanswered('wait') && !due.isRefused;
    const mayResubmit = !this.isExhausted(due, due.attempt) && !mustWait;
    if (!isValid || (provider.ask === undefined && !mayResubmit)) return { event: { type: 'exhausted' } };
    const next = isUnanswered('next') && this.candidates(due).following.find(this.isUp);
    if (next) return { provider: next };
    return retryInMs === 0 ? { provider } : { event: { type: 'unroutable', retryInMs } };
  }

  /** The providers of the route that may take it: those after the last one that was tried, and the others. */
  private candidates(delivery: Routed): Record<'following' | 'earlier', readonly MessageProvider[]> {
    const { round } = this.resolveRoute(delivery);
    const next = round.findIndex(({ name }) => name === delivery.provider) + 1;
    const isCandidate = ({ name }: MessageProvider): boolean => !delivery.excludedProviders.includes(name);
    return {
      following: round.slice(next).filter(isCandidate),
      earlier: round.slice(0, next).filter(isCandidate),
    };
  }

  /** While no next provider is up, the same one gets it again, after the usual delay. */
  private ifUnanswered(
    called: MessageProvider,
    following: readonly MessageProvider[],
  ): IfUnanswered | undefined {
    const setting = ifUnanswered(called);
    return setting === 'next' && !following.some(this.isUp) ? 'resend' : setting;
  }

  /** A provider that is being tested after an outage gets no message that another one may have. */
  private readonly isUp = ({ name }: MessageProvider): boolean => this.health.isUp(name);
  private readonly isAvailable = ({ name }: MessageProvider): boolean => this.health.retryInMs(name) === 0;
}

/**
 * The deaths of workers after which a delivery is abandoned. One more if the provider can be asked: then no recipient gets
 * the message twice.
 */
const maxWorkerDeaths = (provider: MessageProvider): number => (provider.ask ? 3 : 2);

/** Undefined if the provider can be asked, which comes first. */
const ifUnanswered = (provider: MessageProvider): IfUnanswered | undefined =>
  provider.ask ? undefined : (provider.ifUnanswered ?? 'resend');
