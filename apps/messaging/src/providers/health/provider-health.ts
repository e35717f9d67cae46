import { Database } from '@gangan/database';
import {
  type Admission,
  CircuitBreaker,
  type JudgedRequest,
  storedHealth,
  SubmissionCounter,
} from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../../messaging.config.js';
import type { AskResult, MessageProvider, SubmitResult } from '../message-provider.js';
import { codeOf, judgeRequests, outcomeOf } from './judge-result.js';
import { ProviderMetrics } from './provider.metrics.js';
import { SubmissionRate } from './submission-rate.js';

const refreshMs = 1_000;
/** A worker that has submitted nothing for this long reads the health of providers only this often. */
const idleRefreshMs = 5_000;
const countsMs = 10_000;
/** A provider is paused after this many answers that our account is at fault, each about other deliveries. */
const maxRefusals = 3;
/** The rate of a provider without a configured one, if this worker submits less before it is halved. */
const minSlowedRate = 20;
const slowIntervalMs = 1_000;
/** The longest `Retry-After` that is honoured. */
const maxRetryAfterMs = 300_000;

export type RatedProvider = Pick<MessageProvider, 'name' | 'rate'>;

/** Which providers get deliveries, and how fast. All workers share the state. */
@Injectable()
export class ProviderHealth implements BeforeApplicationShutdown {
  private readonly breaker: CircuitBreaker;
  private readonly counter = new SubmissionCounter();
  private readonly rates = new Map<string, SubmissionRate>();
  /** When this worker last slowed a provider down. */
  private readonly slowedAt = new Map<string, number>();
  private readonly defaultRate: number;
  private submittedAt = -Infinity;
  private readAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly metrics: ProviderMetrics,
    logger: AppLogger,
    config: MessagingConfig,
  ) {
    const testMs = 2 * config.DELIVERY_PROVIDER_TIMEOUT_MS;
    const [domain, subject] = ['message', 'messages'] as const;
    this.breaker = new CircuitBreaker({ database, domain, testMs, maxRefusals, subject, logger });
    this.defaultRate = config.DELIVERY_PROVIDER_RATE;
  }

  isUp(provider: string): boolean {
    return this.breaker.isUp(provider);
  }

  /** The time until a delivery may go to the provider; 0 if it is up, or if one delivery can test it now. */
  retryInMs(provider: string): number {
    return this.breaker.retryInMs(provider);
  }

  /** Recipients per second of all workers; 0 if there is no limit. */
  rateOf({ name, rate: configured = this.defaultRate }: RatedProvider): number {
    return this.breaker.healthOf(name)?.rate(configured) ?? configured;
  }

  /** Admits a call to a provider that was found to be up. */
  admitUp(provider: string): Admission {
    return this.breaker.admitUp(provider);
  }

  admit(provider: string): Promise<Admission> {
    return this.breaker.admit(provider);
  }

  /** Must be called when the calls of an admission have ended. A test without a result is released. Never fails. */
  release(provider: string, admission: Admission): Promise<void> {
    return this.breaker.release(provider, admission);
  }

  /** Records the results of a call. Never fails. */
  async record(
    { name: provider, rate = this.defaultRate }: RatedProvider,
    admission: Admission,
    deliveryIds: readonly string[],
    results: readonly SubmitResult[],
  ): Promise<void> {
    this.submittedAt = performance.now();
    const submitted = this.rateOfWorker(provider);
    submitted.add(results.length);
    for (const result of results)
      this.counter.add(provider, result.kind === 'accepted' ? undefined : codeOf(result));
    await this.postpone(provider, Math.max(...results.map(retryAfterOf)));
    if (results.some((result) => outcomeOf(result) === 'throttled'))
      await this.slowDown(provider, rate || Math.max(minSlowedRate, submitted.perSecond));
    await this.breaker.record(provider, admission, judgeRequests(results, deliveryIds));
  }

  /** Records the results of asking, which count only if a test gets no answer. Never fails. */
  async recordAsked(
    provider: string,
    admission: Admission,
    deliveryIds: readonly string[],
    results: readonly AskResult[],
  ): Promise<void> {
    if (!admission.tests) return;
    const answers = results.filter((result): result is SubmitResult => result.kind !== 'not_found');
    const requests: JudgedRequest[] = judgeRequests(answers, deliveryIds);
    if (answers.length < results.length || requests.some(({ verdict }) => verdict !== 'fails')) return;
    await this.breaker.record(provider, admission, requests);
  }

  @Periodic('reading the health of providers', refreshMs)
  async refreshIfDue(): Promise<boolean> {
    const now = performance.now();
    const isIdle = now - this.submittedAt >= idleRefreshMs;
    if (!isIdle || now - this.readAt >= idleRefreshMs) await this.refresh();
    return false;
  }

  async refresh(): Promise<void> {
    this.readAt = performance.now();
    const rows = await this.breaker.refresh();
    this.metrics.set(
      rows.map(({ provider, state, rate, creditMicros: micros, creditCurrency: currency }) => ({
        provider,
        state,
        rate: this.rateOf({ name: provider, ...(rate !== null && { rate }) }),
        credit: micros === null || currency === null ? undefined : { micros, currency },
      })),
    );
  }

  @Periodic('storing counts of submissions', countsMs)
  async storeCounts(): Promise<boolean> {
    await this.counter.store(this.database);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.storeCounts().catch(() => undefined);
  }

  /** No worker gives it messages for as long as it asked, within bounds. */
  private async postpone(provider: string, retryAfterMs: number): Promise<void> {
    if (retryAfterMs <= 0) return;
    const delayMs = Math.min(retryAfterMs, maxRetryAfterMs);
    await this.breaker.update(provider, () => storedHealth.postpone(this.database, provider, delayMs));
  }

  /** Halves a rate, at most once a second. */
  private async slowDown(provider: string, rate: number): Promise<void> {
    const now = performance.now();
    if (now - (this.slowedAt.get(provider) ?? -Infinity) < slowIntervalMs) return;
    this.slowedAt.set(provider, now);
    await this.breaker.update(provider, () => storedHealth.slowDown(this.database, provider, rate));
  }

  private rateOfWorker(provider: string): SubmissionRate {
    let rate = this.rates.get(provider);
    if (!rate) this.rates.set(provider, (rate = new SubmissionRate()));
    return rate;
  }
}

const retryAfterOf = (result: SubmitResult): number =>
  result.kind === 'transient' ? (result.retryAfterMs ?? 0) : 0;
