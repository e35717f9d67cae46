import { Database } from '@gangan/database';
import {
  type Admission,
  CircuitBreaker,
  type Credit,
  type JudgedRequest,
  SubmissionCounter,
} from '@gangan/providers';
import { AppLogger, Periodic } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { AirtimeConfig } from '../airtime.config.js';
import { AirtimeMetrics } from '../airtime.metrics.js';
import type { SubmitResult } from './airtime-provider.js';
import { isUnanswered } from './http-answers.js';

/** An older credit says nothing about what we have now. */
const maxCreditAgeMs = 300_000;
const microsPerKobo = 10_000n;
const countsMs = 10_000;

interface KnownCredit extends Credit {
  readonly at: number;
}

/** Which providers get purchases: those that work, and whose credit covers them. All workers share the state. */
@Injectable()
export class AirtimeHealth implements BeforeApplicationShutdown {
  readonly breaker: CircuitBreaker;
  private credits: ReadonlyMap<string, KnownCredit> = new Map();
  private readonly counter = new SubmissionCounter();
  /** What this worker submits, or has submitted since the credit was read. */
  private readonly spent = new Map<string, { readonly at: number; readonly kobo: bigint }>();

  constructor(
    private readonly database: Database,
    config: AirtimeConfig,
    private readonly metrics: AirtimeMetrics,
    logger: AppLogger,
  ) {
    this.breaker = new CircuitBreaker({
      database,
      domain: 'airtime',
      testMs: 2 * config.AIRTIME_PROVIDER_TIMEOUT_MS,
      maxRefusals: 1,
      subject: 'purchases',
      logger,
    });
  }

  async refresh(): Promise<void> {
    const rows = await this.breaker.refresh();
    this.credits = new Map(
      rows.flatMap(({ provider, creditMicros: micros, creditCurrency: currency, creditAt }) => {
        const at = creditAt?.getTime() ?? 0;
        const isKnown = micros !== null && currency !== null && Date.now() - at < maxCreditAgeMs;
        return isKnown ? [[provider, { micros, currency, at }] as const] : [];
      }),
    );
    this.metrics.setProviders(
      rows.map(({ provider, state }) => ({ provider, state, credit: this.credits.get(provider) })),
    );
  }

  /** Whether our credit covers a purchase. It does if it is not known, or is not in naira. */
  covers(provider: string, kobo: bigint): boolean {
    const credit = this.credits.get(provider);
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

  /** Takes the result of a submission into account. Never fails. */
  async record(provider: string, admission: Admission, kobo: bigint, result: SubmitResult): Promise<void> {
    if (result.kind !== 'success' && result.kind !== 'unknown') this.spend(provider, -kobo);
    this.counter.add(provider, refusalOf(result));
    await this.breaker.record(provider, admission, [judge(result)]);
  }

  @Periodic('storing counts of purchases', countsMs)
  async storeCounts(): Promise<boolean> {
    await this.counter.store(this.database);
    return false;
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.storeCounts().catch(() => undefined);
  }

  private spend(provider: string, kobo: bigint): void {
    const at = this.credits.get(provider)?.at ?? 0;
    const before = this.spent.get(provider);
    const spent = (before?.at === at ? before.kobo : 0n) + kobo;
    // The credit may have been read since the purchase was counted.
    this.spent.set(provider, { at, kobo: spent < 0n ? 0n : spent });
  }
}

/** What a result says about the provider. A provider that answers does not refuse our account. */
function judge(result: SubmitResult): JudgedRequest {
  if (result.kind === 'refused') return { verdict: 'account', code: 'account' };
  return { verdict: isUnanswered(result) ? 'fails' : 'accepts', code: 'no_answer' };
}

/** Why a purchase was not accepted; undefined if it was, even if its outcome is not known yet. */
function refusalOf(result: SubmitResult): string | undefined {
  if (result.kind === 'success' || (result.kind === 'unknown' && !isUnanswered(result))) return undefined;
  return result.kind === 'refused' ? 'account' : result.reason?.code;
}
