import { Database } from '@gangan/database';
import { type ProviderState, rateGrowth, storedHealth, type StoredHealth } from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { MessagingConfig } from '../messaging.config.js';
import type { AskResult, MessageProvider, SubmitResult } from './message-provider.js';
import { ProviderMetrics } from './provider.metrics.js';
import { codeOf, type JudgedRequest, judgeRequests, outcomeOf } from './judge-result.js';

const refreshMs = 1_000;
const countsMs = 10_000;
/** A circuit opens after this many requests in a row failed, counted by each worker. */
const maxFailures = 5;
/** A provider is paused after this many answers that our account is at fault, counted by each worker. */
const maxRefusals = 3;
/** A provider without a rate of its own is not slowed down above this rate. */
const maxSlowedRate = 10_000;
/** Without a configured rate, the first halving of a nearly idle worker begins here. */
const minSlowedRate = 20;
const slowIntervalMs = 1_000;

export type RatedProvider = Pick<MessageProvider, 'name' | 'rate'>;

/** Times are those of `performance.now()`. */
interface KnownHealth {
  readonly state: ProviderState;
  readonly testAt: number;
  readonly slowed: { readonly rate: number; readonly at: number } | undefined;
}

/** The permission to call a provider. The results of the call are judged only if its state has not changed since. */
export interface Admission {
  /** How many recipients the call may have: any number if the provider is up, 1 if the call tests it, or 0. */
  readonly recipients: number;
  readonly changes: number;
  /** The state that the call tests. */
  readonly tests?: 'open' | 'paused';
}

/** What this worker has seen of a provider. */
interface Observed {
  failuresInARow: number;
  /** Since it last accepted a message: answers that our account is at fault, each about other deliveries. */
  refusals: number;
  readonly refused: Set<string>;
  /** How often this worker has seen its state change. */
  changes: number;
  /** The test that this worker has claimed, until it has a result. */
  test: Admission | undefined;
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

  /** For a call to a provider that was found to be up. */
  admitUp(provider: string): Admission {
    return { recipients: Infinity, changes: this.observedOf(provider).changes };
  }

  async admit(provider: string): Promise<Admission> {
    const none = { ...this.admitUp(provider), recipients: 0 };
    if (this.isUp(provider)) return this.admitUp(provider);
    if (this.retryInMs(provider) > 0) return none;
    const claimed = await storedHealth.claimTest(this.database, provider, this.testMs);
    if (!claimed || claimed.state === 'up') {
      await this.refresh();
      return none;
    }
    this.apply(claimed);
    const observed = this.observedOf(provider);
    observed.test = { recipients: 1, changes: observed.changes, tests: claimed.state };
    return observed.test;
  }

  /** To be called when the calls of an admission have ended. A test without a result is given back. Never fails. */
  async release(provider: string, admission: Admission): Promise<void> {
    const observed = this.observedOf(provider);
    if (observed.test !== admission) return;
    observed.test = undefined;
    await this.store(provider, async () => {
      const released = await storedHealth.releaseTest(this.database, provider);
      if (released) this.apply(released);
    });
  }

  /** Takes the results of a call into account. Never fails. */
  async record(
    { name: provider, rate = this.defaultRate }: RatedProvider,
    admission: Admission,
    deliveryIds: readonly string[],
    results: readonly SubmitResult[],
  ): Promise<void> {
    const observed = this.observedOf(provider);
    count(observed, results);
    await this.store(provider, async () => {
      if (results.some((result) => outcomeOf(result) === 'throttled'))
        await this.slowDown(provider, observed, rate);
      if (admission.changes !== observed.changes) return;
      const requests = judgeRequests(results, deliveryIds);
      if (admission.tests) await this.endTest(provider, admission, requests);
      else await this.countRequests(provider, observed, requests);
    });
  }

  /** Asking says nothing about submissions, unless a test gets no answer. Never fails. */
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
    const rows = await storedHealth.readAll(this.database);
    for (const row of rows) this.noteChange(row);
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
    this.observedOf(provider).test = undefined;
    const { verdict, code } = request;
    if (verdict === 'accepts' || (tests === 'open' && verdict !== 'fails'))
      await this.resume(provider, tests);
    else if (verdict !== 'answers') await this.stop(provider, tests, code, true);
  }

  private async countRequests(
    provider: string,
    observed: Observed,
    requests: readonly JudgedRequest[],
  ): Promise<void> {
    let lastCode = '';
    for (const { verdict, code, deliveryIds } of requests) {
      if (verdict === 'fails') [observed.failuresInARow, lastCode] = [observed.failuresInARow + 1, code];
      else observed.failuresInARow = 0;
      if (verdict === 'account') countRefusal(observed, deliveryIds);
    }
    if (requests.some(({ verdict }) => verdict === 'accepts')) resetRefusals(observed);
    if (observed.refusals >= maxRefusals) await this.stop(provider, 'paused', 'account');
    else if (observed.failuresInARow >= maxFailures) await this.stop(provider, 'open', lastCode);
  }

  private async stop(
    provider: string,
    state: 'open' | 'paused',
    code: string,
    isTest = false,
  ): Promise<void> {
    resetCounts(this.observedOf(provider));
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

  /** Halves its rate; without one, the rate at which this worker submits to it, but not below 10 at once. */
  private async slowDown(provider: string, observed: Observed, configured: number): Promise<void> {
    const now = performance.now();
    if (now - observed.slowedAt < slowIntervalMs) return;
    observed.slowedAt = now;
    const rate = configured || Math.max(minSlowedRate, observed.inSecond, observed.inSecondBefore);
    const slowed = await storedHealth.slowDown(this.database, provider, rate);
    if (slowed) this.apply(slowed);
  }

  private apply(row: StoredHealth): void {
    this.noteChange(row);
    this.known = new Map(this.known).set(row.provider, knownFrom(row));
  }

  private noteChange({ provider, state }: StoredHealth): void {
    if (state === (this.known.get(provider)?.state ?? 'up')) return;
    const observed = this.observedOf(provider);
    observed.changes += 1;
    resetCounts(observed);
  }

  private observedOf(provider: string): Observed {
    const known = this.observed.get(provider);
    if (known) return known;
    const created: Observed = {
      ...{ failuresInARow: 0, refusals: 0, refused: new Set<string>() },
      ...{ changes: 0, test: undefined, slowedAt: -Infinity },
      ...{ submitted: 0, notAccepted: 0, code: undefined },
      ...{ second: 0, inSecond: 0, inSecondBefore: 0 },
    };
    this.observed.set(provider, created);
    return created;
  }
}

/** An answer about a delivery that was counted does not count again: a text may be the reason. */
function countRefusal(observed: Observed, deliveryIds: readonly string[]): void {
  if (deliveryIds.some((id) => observed.refused.has(id))) return;
  observed.refusals += 1;
  for (const id of deliveryIds) observed.refused.add(id);
}

function resetRefusals(observed: Observed): void {
  observed.refusals = 0;
  observed.refused.clear();
}

function resetCounts(observed: Observed): void {
  observed.failuresInARow = 0;
  resetRefusals(observed);
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

const knownFrom = ({ state, testInMs, slowedRate }: StoredHealth): KnownHealth => {
  const now = performance.now();
  return {
    state,
    testAt: now + testInMs,
    slowed: slowedRate === null ? undefined : { rate: slowedRate, at: now },
  };
};
