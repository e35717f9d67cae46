import { callProvider, LogInterval } from '@gangan/protocol';
import type { Admission } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { RetryPolicies } from '../outcome/retry/retry-policy.js';
import { outcomeOf } from '../providers/health/judge-result.js';
import type { AskResult, MessageProvider, SubmitResult } from '../providers/message-provider.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import { cleanResult, redactError, redactResult } from '../providers/provider-text.js';
import type { ClaimedDelivery } from './claims.repository.js';

export interface ProviderCall {
  readonly provider: MessageProvider;
  readonly admission: Admission;
  readonly kind: 'submit' | 'ask';
  /** All of one traffic class. */
  readonly deliveries: readonly ClaimedDelivery[];
  readonly send: (signal: AbortSignal) => Promise<readonly AskResult[]>;
  readonly onLate: (results: readonly AskResult[]) => Promise<void>;
}

/** The result of each delivery of a call without results. The whole call counts as one request. */
const unknown: SubmitResult = { kind: 'unknown', request: -1 };

/** Calls providers with a timeout, and cleans what they return. */
@Injectable()
export class ProviderCalls {
  private readonly unanswered = new LogInterval();

  constructor(
    private readonly policies: RetryPolicies,
    private readonly health: ProviderHealth,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Results in the order of the deliveries; none after a timeout or an error. Late results go to `onLate`. */
  async call(call: ProviderCall): Promise<readonly AskResult[]> {
    const { provider, kind, deliveries, send, onLate } = call;
    const isOtp = deliveries[0]?.trafficClass === 'otp';
    const clean = (result: AskResult) => (isOtp ? redactResult(cleanResult(result)) : cleanResult(result));
    const startedAt = performance.now();
    const results = await callProvider<readonly AskResult[]>(
      async (signal) => (await send(signal)).map(clean),
      this.policies.timeoutMs,
      {
        fallback: [],
        onError: (error) => {
          const err = isOtp ? redactError(error) : error;
          const details = { err, provider: provider.name, call: kind, deliveries: deliveries.length };
          this.logger.warn(details, 'a provider did not answer');
        },
        onLateResult: onLate,
      },
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    this.metrics.calls.observe({ provider: provider.name, call: kind }, seconds);
    await this.judge(
      call,
      deliveries.map((_, index) => results[index] ?? unknown),
    );
    return results;
  }

  private async judge(
    { provider, kind, admission, deliveries }: ProviderCall,
    results: readonly AskResult[],
  ): Promise<void> {
    const ids = deliveries.map(({ id }) => id);
    if (kind === 'ask') {
      await this.health.recordAsked(provider.name, admission, ids, results);
      return;
    }
    const own = results as readonly SubmitResult[];
    this.count(provider.name, own);
    await this.health.record(provider, admission, ids, own);
  }

  /** Counts the results. Customers pay for deliveries with an unknown outcome, so they are logged. */
  private count(provider: string, results: readonly SubmitResult[]): void {
    for (const result of results) this.metrics.results.inc({ provider, outcome: outcomeOf(result) });
    const unanswered = results.filter(({ kind }) => kind === 'unknown');
    if (unanswered.length === 0) return;
    const deliveries = this.unanswered.take(provider, unanswered.length);
    if (deliveries === undefined) return;
    const [first] = unanswered;
    const code = first && 'reason' in first ? first.reason.code : undefined;
    this.logger.warn(
      { provider, deliveries, code },
      'a provider may have accepted messages without a valid answer; they stay charged',
    );
  }
}
