import { Database } from '@gangan/database';
import { type ProviderState, rateGrowth, storedHealth, type StoredHealth } from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import type { MessageProvider, SubmitResult } from './message-provider.js';
import { ProviderMetrics } from './provider.metrics.js';
import { judge, outcomeOf } from './judge-result.js';

const refreshMs = 1_000;
const countsMs = 10_000;
/** A circuit opens after this many failures in a row, counted by each worker. */
const maxFailures = 5;
/** A provider without a rate of its own is not slowed down above this rate. */
const maxSlowedRate = 10_000;
const slowIntervalMs = 1_000;

export type RatedProvider = Pick<MessageProvider, 'name' | 'rate'>;

/** Times are those of `performance.now()`. */
interface KnownHealth {
  readonly state: ProviderState;
  readonly testAt: number;
  readonly slowed: { readonly rate: number; readonly at: number } | undefined;
}

/** What this worker has seen of a provider. */
interface Observed {
  failuresInARow: number;
  /** This worker has claimed the test of the provider, and waits for its result. */
  isTesting: boolean;
  slowedAt: number;
  submitted: number;
  notAccepted: number;
  code: string | undefined;
  /** The submissions of the current second, and of the one before. */
  second: number;
  inSecond: number;
  inSecondBefore: number;
}

/**
 * Which providers get deliveries, and how fast. The state is shared by all workers through the table `provider_health`;
 * it is written when it changes, not with every submission.
 */
@Injectable()
export class ProviderHealth implements BeforeApplicationShutdown {
  private known: ReadonlyMap<string, KnownHealth> = new Map();
  private readonly observed = new Map<string, Observed>();
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
    return (this.known.get(provider)?.state ?? 'up') === 'up';
  }

  /** Until a delivery may go to it; 0 if it is up, or if one delivery can test it now. */
  retryInMs(provider: string): number {
    const known = this.known.get(provider);
    return known && known.state !== 'up' ? Math.max(0, known.testAt - performance.now()) : 0;
  }

  /** Recipients per second of all workers; 0 if there is no limit. */
  rateOf({ name, rate: configured = this.defaultRate }: RatedProvider): number {
    const slowed = this.known.get(name)?.slowed;
    if (!slowed) return configured;
    const rate = slowed.rate * rateGrowth ** ((performance.now() - slowed.at) / 1_000);
    const isRecovered = rate >= (configured === 0 ? maxSlowedRate : configured);
    return isRecovered ? configured : Math.max(1, Math.floor(rate));
  }

  /** How many recipients the next call may have: any number if the provider is up, 1 if the call tests it, or 0. */
  async admit(provider: string): Promise<number> {
    if (this.isUp(provider)) return Infinity;
    if (this.retryInMs(provider) > 0) return 0;
    const claimed = await storedHealth.claimTest(this.database, provider, this.testMs);
    if (claimed) {
      this.observedOf(provider).isTesting = true;
      this.apply(claimed);
    } else await this.refresh();
    return claimed ? 1 : 0;
  }

  /** Takes the results of a call into account. Never fails. */
  async record(
    { name: provider, rate = this.defaultRate }: RatedProvider,
    results: readonly SubmitResult[],
  ): Promise<void> {
    const observed = this.observedOf(provider);
    count(observed, results);
    try {
      if (results.some((result) => outcomeOf(result) === 'throttled'))
        await this.slowDown(provider, observed, rate);
      if (results.some((result) => outcomeOf(result) === 'account'))
        await this.stop(provider, observed, 'paused', 'account');
      else await this.countFailures(provider, observed, results);
    } catch (error) {
      this.logger.warn({ err: error, provider }, 'the state of a provider could not be stored');
    }
  }

  @Periodic('reading the health of providers', refreshMs)
  async refresh(): Promise<boolean> {
    const rows = await storedHealth.readAll(this.database);
    this.known = new Map(rows.map((row) => [row.provider, knownFrom(row)]));
    this.metrics.set(
      rows.map(({ provider, state, rate }) => ({
        ...{ provider, state, rate: this.rateOf({ name: provider, ...(rate !== null && { rate }) }) },
      })),
    );
    return false;
  }

  @Periodic('storing counts of submissions', countsMs)
  async storeCounts(): Promise<boolean> {
    const counts = [...this.observed]
      .filter(([, { submitted }]) => submitted > 0)
      .map(([provider, { submitted, notAccepted, code }]) => ({ provider, submitted, notAccepted, code }));
    for (const observed of this.observed.values())
      Object.assign(observed, { submitted: 0, notAccepted: 0, code: undefined });
    if (counts.length > 0) await storedHealth.addCounts(this.database, counts);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.storeCounts().catch(() => undefined);
  }

  private async countFailures(
    provider: string,
    observed: Observed,
    results: readonly SubmitResult[],
  ): Promise<void> {
    const judged = results.map(judge);
    if (observed.isTesting && judged.includes('works')) {
      await this.resume(provider, observed);
      return;
    }
    let last: SubmitResult | undefined;
    for (const [index, each] of judged.entries()) {
      if (each === 'works') observed.failuresInARow = 0;
      if (each !== 'fails') continue;
      observed.failuresInARow += 1;
      last = results[index];
    }
    const isFailedTest = observed.isTesting && last !== undefined;
    if (isFailedTest || observed.failuresInARow >= maxFailures)
      await this.stop(provider, observed, 'open', codeOf(last));
  }

  private async stop(
    provider: string,
    observed: Observed,
    state: 'open' | 'paused',
    code: string,
  ): Promise<void> {
    const { isTesting } = observed;
    observed.failuresInARow = 0;
    observed.isTesting = false;
    const stopped = await storedHealth.stop(this.database, provider, state, code, isTesting);
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

  private async resume(provider: string, observed: Observed): Promise<void> {
    observed.failuresInARow = 0;
    observed.isTesting = false;
    const resumed = await storedHealth.resume(this.database, provider);
    if (!resumed) return;
    this.apply(resumed);
    this.logger.info({ provider }, 'a provider accepts messages again');
  }

  /** Halves its rate; without one, the rate at which this worker submits to it. */
  private async slowDown(provider: string, observed: Observed, configured: number): Promise<void> {
    const now = performance.now();
    if (now - observed.slowedAt < slowIntervalMs) return;
    observed.slowedAt = now;
    const rate = configured || Math.max(observed.inSecond, observed.inSecondBefore);
    const slowed = await storedHealth.slowDown(this.database, provider, rate);
    if (slowed) this.apply(slowed);
  }

  private apply(row: StoredHealth): void {
    this.known = new Map(this.known).set(row.provider, knownFrom(row));
  }

  private observedOf(provider: string): Observed {
    const known = this.observed.get(provider);
    if (known) return known;
    const created: Observed = {
      ...{ failuresInARow: 0, isTesting: false, slowedAt: -Infinity },
      ...{ submitted: 0, notAccepted: 0, code: undefined },
      ...{ second: 0, inSecond: 0, inSecondBefore: 0 },
    };
    this.observed.set(provider, created);
    return created;
  }
}

function count(observed: Observed, results: readonly SubmitResult[]): void {
  const second = Math.floor(performance.now() / 1_000);
  if (second !== observed.second) {
    observed.inSecondBefore = second === observed.second + 1 ? observed.inSecond : 0;
    observed.inSecond = 0;
    observed.second = second;
  }
  observed.inSecond += results.length;
  observed.submitted += results.length;
  for (const result of results) {
    if (result.kind === 'accepted') continue;
    observed.notAccepted += 1;
    observed.code = codeOf(result);
  }
}

const codeOf = (result: SubmitResult | undefined): string => {
  if (!result || result.kind === 'accepted') return '';
  return result.kind === 'transient' && result.cause === 'account'
    ? 'account'
    : (result.reason?.code ?? 'no_answer').slice(0, 64);
};

const knownFrom = ({ state, testInMs, slowedRate }: StoredHealth): KnownHealth => {
  const now = performance.now();
  return {
    state,
    testAt: now + testInMs,
    slowed: slowedRate === null ? undefined : { rate: slowedRate, at: now },
  };
};
