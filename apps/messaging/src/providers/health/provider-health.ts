import { Database } from '@gangan/database';
import { storedHealth, type StoredHealth } from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../../messaging.config.js';
import type { AskResult, MessageProvider, SubmitResult } from '../message-provider.js';
import { ProviderMetrics } from './provider.metrics.js';
import { type JudgedRequest, judgeRequests, outcomeOf } from './judge-result.js';
import { KnownHealth } from './known-health.js';
import { ObservedProvider } from './observed-provider.js';

const refreshMs = 1_000;
const countsMs = 10_000;
/** The rate of a provider without a configured one, if this worker submits less before it is halved. */
const minSlowedRate = 20;
const slowIntervalMs = 1_000;
/** The longest `Retry-After` that is honoured. */
const maxRetryAfterMs = 300_000;

export type RatedProvider = Pick<MessageProvider, 'name' | 'rate'>;

/** The permission to call a provider. The results of the call are judged only if its state has not changed since. */
export interface Admission {
  /** How many recipients the call may have: any number if the provider is up, 1 if the call tests it, or 0. */
  readonly recipients: number;
  readonly changes: number;
  /** The state that the call tests. */
  readonly tests?: 'open' | 'paused';
}

/**
 * Which providers get deliveries, and how fast. The state is shared by all workers through the table `provider_health`;
 * it is written when it changes, not with every submission.
 */
@Injectable()
export class ProviderHealth implements BeforeApplicationShutdown {
  private known: ReadonlyMap<string, KnownHealth> = new Map();
  private readonly observed = new Map<string, ObservedProvider>();
  /** The tests that this worker has claimed, by provider, until they have a result. */
  private readonly tests = new Map<string, Admission>();
  /** When this worker last slowed a provider down. */
  private readonly slowedAt = new Map<string, number>();
  private readonly testMs: number;
  private readonly defaultRate: number;

  constructor(
    private readonly database: Database,
    private readonly metrics: ProviderMetrics,
    private readonly logger: AppLogger,
    config: MessagingConfig,
  ) {
    this.testMs = 2 * config.DELIVERY_PROVIDER_TIMEOUT_MS;
    this.defaultRate = config.DELIVERY_PROVIDER_RATE;
  }

  isUp(provider: string): boolean {
    const known = this.known.get(provider);
    return known === undefined || (known.state === 'up' && known.retryInMs === 0);
  }

  /** Until a delivery may go to it; 0 if it is up, or if one delivery can test it now. */
  retryInMs(provider: string): number {
    return this.known.get(provider)?.retryInMs ?? 0;
  }

  /** Recipients per second of all workers; 0 if there is no limit. */
  rateOf({ name, rate: configured = this.defaultRate }: RatedProvider): number {
    return this.known.get(name)?.rate(configured) ?? configured;
  }

  /** For a call to a provider that was found to be up. */
  admitUp(provider: string): Admission {
    return { recipients: Infinity, changes: this.observedOf(provider).changes };
  }

  async admit(provider: string): Promise<Admission> {
    const up = this.admitUp(provider);
    if (this.isUp(provider)) return up;
    const none = { ...up, recipients: 0 };
    if (this.retryInMs(provider) > 0) return none;
    const claimed = await storedHealth.claimTest(this.database, provider, this.testMs);
    if (!claimed || claimed.state === 'up') {
      await this.refresh();
      return none;
    }
    this.apply(claimed);
    const { changes } = this.observedOf(provider);
    const test: Admission = { recipients: 1, changes, tests: claimed.state };
    this.tests.set(provider, test);
    return test;
  }

  /** Must be called when the calls of an admission have ended. A test without a result is released. Never fails. */
  async release(provider: string, admission: Admission): Promise<void> {
    if (this.tests.get(provider) !== admission) return;
    this.tests.delete(provider);
    await this.store(provider, async () => {
      const released = await storedHealth.releaseTest(this.database, provider);
      if (released) this.apply(released);
    });
  }

  /** Records the results of a call. Never fails. */
  async record(
    { name: provider, rate = this.defaultRate }: RatedProvider,
    admission: Admission,
    deliveryIds: readonly string[],
    results: readonly SubmitResult[],
  ): Promise<void> {
    const observed = this.observedOf(provider);
    observed.count(results);
    await this.store(provider, async () => {
      await this.postpone(provider, Math.max(...results.map(retryAfterOf)));
      if (results.some((result) => outcomeOf(result) === 'throttled'))
        await this.slowDown(provider, rate || Math.max(minSlowedRate, observed.rate));
      if (admission.changes !== observed.changes) return;
      const requests = judgeRequests(results, deliveryIds);
      if (admission.tests) {
        await this.endTest(provider, admission, requests);
        return;
      }
      const stop = observed.judge(requests);
      if (stop) await this.stop(provider, stop.state, stop.code);
    });
  }

  /** Records the results of asking, which count only if a test gets no answer. Never fails. */
  async recordAsked(
    provider: string,
    admission: Admission,
    deliveryIds: readonly string[],
    results: readonly AskResult[],
  ): Promise<void> {
    if (!admission.tests || admission.changes !== this.observedOf(provider).changes) return;
    const answers = results.filter((result): result is SubmitResult => result.kind !== 'not_found');
    const requests = judgeRequests(answers, deliveryIds);
    if (answers.length < results.length || requests.some(({ verdict }) => verdict !== 'fails')) return;
    await this.store(provider, () => this.endTest(provider, admission, requests));
  }

  @Periodic('reading the health of providers', refreshMs)
  async refresh(): Promise<boolean> {
    const rows = await storedHealth.readAll(this.database, 'message');
    for (const row of rows) this.noteChange(row);
    this.known = new Map(rows.map((row) => [row.provider, new KnownHealth(row)]));
    this.metrics.set(
      rows.map(({ provider, state, rate, creditMicros: micros, creditCurrency: currency }) => ({
        provider,
        state,
        rate: this.rateOf({ name: provider, ...(rate !== null && { rate }) }),
        credit: micros === null || currency === null ? undefined : { micros, currency },
      })),
    );
    return false;
  }

  @Periodic('storing counts of submissions', countsMs)
  async storeCounts(): Promise<boolean> {
    const counts = [...this.observed].flatMap(([provider, observed]) => {
      const taken = observed.takeCounts();
      return taken ? [{ provider, ...taken }] : [];
    });
    if (counts.length > 0) await storedHealth.addCounts(this.database, counts);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.storeCounts().catch(() => undefined);
  }

  private async store(provider: string, change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      this.logger.warn({ err: error, provider }, 'the state of a provider could not be stored');
    }
  }

  /** A paused provider is up again only if it accepts a message; an open one if it answers. */
  private async endTest(
    provider: string,
    { tests }: Admission,
    [request]: readonly JudgedRequest[],
  ): Promise<void> {
    if (!request || !tests) return;
    this.tests.delete(provider);
    const { verdict, code } = request;
    if (verdict === 'accepts' || (tests === 'open' && verdict !== 'fails'))
      await this.resume(provider, tests);
    else if (verdict !== 'answers') await this.stop(provider, tests, code, true);
  }

  private async stop(
    provider: string,
    state: 'open' | 'paused',
    code: string,
    isTest = false,
  ): Promise<void> {
    this.observedOf(provider).reset();
    const stopped = await storedHealth.stop(this.database, provider, state, code, isTest);
    if (!stopped) {
      await this.refresh();
      return;
    }
    this.apply(stopped);
    if (!stopped.changed) return;
    if (state === 'open')
      this.logger.warn({ provider, code }, 'a provider keeps failing: it gets no messages for a while');
    else
      this.logger.error(
        { provider },
        'a provider refuses our account and is paused: check its balance, its credentials and its settings (`pnpm admin providers test` shows its answer), then run `pnpm admin providers resume`',
      );
  }

  private async resume(provider: string, tested: 'open' | 'paused'): Promise<void> {
    const resumed = await storedHealth.resume(this.database, provider, tested);
    if (!resumed) return;
    this.apply(resumed);
    this.logger.info({ provider }, 'a provider accepts messages again');
  }

  /** No worker gives it messages for as long as it asked, within bounds. */
  private async postpone(provider: string, retryAfterMs: number): Promise<void> {
    if (retryAfterMs <= 0) return;
    const postponed = await storedHealth.postpone(
      this.database,
      provider,
      Math.min(retryAfterMs, maxRetryAfterMs),
    );
    if (postponed) this.apply(postponed);
  }

  /** Halves a rate, at most once a second. */
  private async slowDown(provider: string, rate: number): Promise<void> {
    const now = performance.now();
    if (now - (this.slowedAt.get(provider) ?? -Infinity) < slowIntervalMs) return;
    this.slowedAt.set(provider, now);
    const slowed = await storedHealth.slowDown(this.database, provider, rate);
    if (slowed) this.apply(slowed);
  }

  private apply(row: StoredHealth): void {
    this.noteChange(row);
    this.known = new Map(this.known).set(row.provider, new KnownHealth(row));
  }

  private noteChange({ provider, state }: StoredHealth): void {
    if (state === (this.known.get(provider)?.state ?? 'up')) return;
    const observed = this.observedOf(provider);
    observed.changes += 1;
    observed.reset();
  }

  private observedOf(provider: string): ObservedProvider {
    let observed = this.observed.get(provider);
    if (!observed) this.observed.set(provider, (observed = new ObservedProvider()));
    return observed;
  }
}

const retryAfterOf = (result: SubmitResult): number =>
  result.kind === 'transient' ? (result.retryAfterMs ?? 0) : 0;
