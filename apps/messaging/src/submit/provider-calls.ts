import { callProvider } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { RetryPolicies } from '../outcome/retry-policy.js';
import type { AskResult, MessageProvider, SubmitResult } from '../providers/message-provider.js';
import { cleanResult, redactError, redactResult } from '../providers/provider-text.js';
import type { ClaimedDelivery } from './claims.repository.js';

export type Results<T> = readonly (T | SubmitResult)[];

export interface ProviderCall<T> {
  readonly provider: MessageProvider;
  readonly kind: 'submit' | 'ask';
  /** Of one traffic class. */
  readonly deliveries: readonly ClaimedDelivery[];
  readonly send: (signal: AbortSignal) => Promise<readonly T[]>;
  readonly onLate: (results: Results<T>) => Promise<void>;
}

/** Calls providers with a timeout, and cleans what they return. */
@Injectable()
export class ProviderCalls {
  constructor(
    private readonly policies: RetryPolicies,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  get timeoutMs(): number {
    return this.policies.timeoutMs;
  }

  /** Results in the order of the deliveries; none after a timeout or an error. Late results go to `onLate`. */
  async call<T extends SubmitResult | AskResult>(call: ProviderCall<T>): Promise<Results<T>> {
    const { provider, kind, deliveries, send, onLate } = call;
    const isOtp = deliveries[0]?.trafficClass === 'otp';
    const clean = (result: T): T | SubmitResult =>
      isOtp ? redactResult(cleanResult(result)) : cleanResult(result);
    const startedAt = performance.now();
    const results = await callProvider<Results<T>>(
      async (signal) => (await send(signal)).map(clean),
      this.timeoutMs,
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
    return results;
  }
}
