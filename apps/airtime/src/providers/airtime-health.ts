import { Database } from '@gangan/database';
import {
  type Credit,
  type ProviderState,
  storedHealth,
  type StoredHealth,
  SubmissionCounter,
} from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { AirtimeMetrics } from '../airtime.metrics.js';
import { SettlementSchedule } from '../settlement/settlement-schedule.js';
import type { SubmitResult } from './airtime-provider.js';
import { isUnanswered } from './http-answers.js';

/** A circuit opens after this many submissions in a row without an answer, counted by each worker. */
const maxFailures = 5;
/** An older credit says nothing about what we have now. */
const maxCreditAgeMs = 300_000;
const microsPerKobo = 10_000n;
const countsMs = 10_000;

interface KnownHealth {
  readonly state: ProviderState;
  /** Of `performance.now()`. */
  readonly testAt: number;
  /** Undefined if it is not known, or too old. */
  readonly credit: (Credit & { readonly at: number }) | undefined;
}

/** Which providers get purchases. The state is shared by all workers through the table `provider_health`. */
@Injectable()
export class AirtimeHealth implements BeforeApplicationShutdown {
  private known: ReadonlyMap<string, KnownHealth> = new Map();
  private readonly failures = new Map<string, number>();
  private readonly counter = new SubmissionCounter();
  /** What this worker submits, or has submitted since the credit was read. */
  private readonly spent = new Map<string, { readonly at: number; readonly kobo: bigint }>();

  constructor(
    private readonly database: Database,
    private readonly schedule: SettlementSchedule,
    private readonly metrics: AirtimeMetrics,
    private readonly logger: AppLogger,
  ) {}

  async refresh(): Promise<void> {
    const rows = await storedHealth.readAll(this.database, 'airtime');
    const now = performance.now();
    this.known = new Map(
      rows.map(({ provider, state, testInMs, creditMicros: micros, creditCurrency: currency, creditAt }) => {
        const at = creditAt?.getTime() ?? 0;
        const isKnown = micros !== null && currency !== null && Date.now() - at < maxCreditAgeMs;
        const credit = isKnown ? { micros, currency, at } : undefined;
        return [provider, { state, testAt: now + testInMs, credit }];
      }),
    );
    this.metrics.setProviders([...this.known].map(([provider, known]) => ({ provider, ...known })));
  }

  /** Whether our credit covers a purchase. It does if it is not known, or is not in naira. */
  covers(provider: string, kobo: bigint): boolean {
    const credit = this.known.get(provider)?.credit;
    if (credit?.currency !== 'NGN') return true;
    const spent = this.spent.get(provider);
    const since = spent?.at === credit.at ? spent.kobo : 0n;
    return credit.micros >= (since + kobo) * microsPerKobo;
  }

  /** Counts a purchase before it is submitted. @returns false if our credit does not cover it */
  reserve(provider: string, kobo: bigint): boolean {
    if (!this.covers(provider, kobo)) return false;
    this.spend(provider, kobo);
    return true;
  }

  isUp(provider: string): boolean {
    return (this.known.get(provider)?.state ?? 'up') === 'up';
  }

  /** Claims the test of a provider that is not up: one purchase of one worker tests it. @returns what it tests */
  async claimTest(provider: string): Promise<'open' | 'paused' | undefined> {
    const known = this.known.get(provider);
    if (!known || known.state === 'up' || known.testAt > performance.now()) return undefined;
    const claimed = await storedHealth.claimTest(this.database, provider, 2 * this.schedule.callTimeoutMs);
    if (!claimed || claimed.state === 'up') return undefined;
    this.apply(claimed);
    return claimed.state;
  }

  /** Ends a test for which nothing was submitted: the next purchase may test the provider. Never fails. */
  async releaseTest(provider: string): Promise<void> {
    try {
      const released = await storedHealth.releaseTest(this.database, provider);
      if (released) this.apply(released);
    } catch (error) {
      this.warn(error, provider);
    }
  }

  /** Takes the result of a submission into account. Never fails. @param tested what the purchase tested */
  async record(
    provider: string,
    kobo: bigint,
    result: SubmitResult,
    tested?: 'open' | 'paused',
  ): Promise<void> {
    if (result.kind !== 'success' && result.kind !== 'unknown') this.spend(provider, -kobo);
    this.counter.add(provider, refusalOf(result));
    try {
      if (result.kind === 'refused') await this.stop(provider, 'paused', 'account', tested);
      else if (isUnanswered(result)) await this.countFailure(provider, tested);
      else await this.countAnswer(provider, tested);
    } catch (error) {
      this.warn(error, provider);
    }
  }

  @Periodic('storing counts of purchases', countsMs)
  async storeCounts(): Promise<boolean> {
    await this.counter.store(this.database);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.storeCounts().catch(() => undefined);
  }

  private warn(error: unknown, provider: string): void {
    this.logger.warn({ err: error, provider }, 'the state of a provider could not be stored');
  }

  private spend(provider: string, kobo: bigint): void {
    const at = this.known.get(provider)?.credit?.at ?? 0;
    const before = this.spent.get(provider);
    const spent = (before?.at === at ? before.kobo : 0n) + kobo;
    // The credit may have been read since the purchase was counted.
    this.spent.set(provider, { at, kobo: spent < 0n ? 0n : spent });
  }

  private async countFailure(provider: string, tested: 'open' | 'paused' | undefined): Promise<void> {
    const failures = (this.failures.get(provider) ?? 0) + 1;
    this.failures.set(provider, failures);
    if (tested || failures >= maxFailures) await this.stop(provider, tested ?? 'open', 'no_answer', tested);
  }

  private async countAnswer(provider: string, tested: 'open' | 'paused' | undefined): Promise<void> {
    this.failures.delete(provider);
    const resumed = tested && (await storedHealth.resume(this.database, provider, tested));
    if (!resumed) return;
    this.apply(resumed);
    this.logger.info({ provider }, 'a provider accepts purchases again');
  }

  private async stop(
    provider: string,
    state: 'open' | 'paused',
    code: string,
    tested: 'open' | 'paused' | undefined,
  ): Promise<void> {
    this.failures.delete(provider);
    const isTest = tested === state;
    const stopped = await storedHealth.stop(this.database, provider, state, code, isTest);
    if (!stopped) return;
    this.apply(stopped);
    if (!stopped.changed) return;
    if (state === 'open')
      this.logger.warn({ provider }, 'a provider keeps failing: it gets no purchases for a while');
    else
      this.logger.error(
        { provider },
        'a provider refuses our account and is paused: check its balance and its credentials, then run `pnpm admin providers resume`',
      );
  }

  private apply({ provider, state, testInMs }: StoredHealth): void {
    const credit = this.known.get(provider)?.credit;
    this.known = new Map(this.known).set(provider, {
      state,
      testAt: performance.now() + testInMs,
      credit,
    });
  }
}

/** Why a purchase was not accepted; undefined if it was, even if its outcome is not known yet. */
function refusalOf(result: SubmitResult): string | undefined {
  if (result.kind === 'success' || (result.kind === 'unknown' && !isUnanswered(result))) return undefined;
  return result.kind === 'refused' ? 'account' : result.reason?.code;
}
