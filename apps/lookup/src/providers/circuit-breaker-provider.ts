import type { ParsedPhone } from '@gangan/contracts';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import {
  BrokenCircuitError,
  circuitBreaker,
  CircuitState,
  ConsecutiveBreaker,
  handleWhen,
  timeout,
  TimeoutStrategy,
} from 'cockatiel';
import { LookupConfig } from '../lookup.config.js';
import { LookupMetrics } from '../lookup.metrics.js';
import { ConfiguredProvider, type LiveFinding, type LiveProvider, ProviderError } from './live-provider.js';

const maxFailures = 5;
const openMs = 10_000;

/** Calls the provider with a timeout and a circuit breaker. */
@Injectable()
export class CircuitBreakerProvider {
  readonly timeoutMs: number;
  private readonly provider: LiveProvider | undefined;
  private readonly timeout;
  /** An error that concerns only one number does not count: one caller must not block the provider for all. */
  private readonly breaker = circuitBreaker(
    handleWhen((error) => !(error instanceof ProviderError && error.concernsOnlyNumber)),
    { halfOpenAfter: openMs, breaker: new ConsecutiveBreaker(maxFailures) },
  );
  private openUntil = 0;

  constructor(
    { provider }: ConfiguredProvider,
    config: LookupConfig,
    private readonly metrics: LookupMetrics,
    private readonly logger: AppLogger,
  ) {
    this.provider = provider;
    this.timeoutMs = config.LOOKUP_PROVIDER_TIMEOUT_MS;
    this.timeout = timeout(this.timeoutMs, TimeoutStrategy.Aggressive);
    this.breaker.onBreak(() => {
      this.openUntil = performance.now() + openMs;
      logger.warn(
        { failures: maxFailures, openMs },
        'the live lookup provider keeps failing: calls are paused',
      );
    });
    this.breaker.onReset(() => {
      logger.info({}, 'the live lookup provider answers again');
    });
  }

  /** Whether calls are paused, so that nothing needs to be reserved; counts the lookup as spared. */
  isPaused(): boolean {
    const paused = this.breaker.state === CircuitState.Open && performance.now() < this.openUntil;
    if (paused) this.metrics.calls.inc({ outcome: 'spared' });
    return paused;
  }

  /** `undefined` if the provider gave no usable response. */
  async find(phone: ParsedPhone): Promise<LiveFinding | undefined> {
    try {
      const finding = await this.breaker.execute(() => this.call(phone));
      this.metrics.calls.inc({ outcome: 'answered' });
      return finding;
    } catch (error) {
      const paused = error instanceof BrokenCircuitError;
      this.metrics.calls.inc({ outcome: paused ? 'spared' : 'failed' });
      if (!paused)
        this.logger.warn({ reason: (error as Error).message }, 'the call to the live provider failed');
      return undefined;
    }
  }

  private async call(phone: ParsedPhone): Promise<LiveFinding> {
    const { provider } = this;
    if (!provider) throw new Error('No live provider is configured');
    const observe = this.metrics.seconds.startTimer();
    return this.timeout.execute(({ signal }) => provider.find(phone, signal)).finally(observe);
  }
}
