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
import { LiveMetrics } from './live-metrics.js';
import { ConfiguredProvider, type LiveFinding, type LiveProvider } from './live-provider.js';
import { ProviderFailure } from './provider-failure.js';

const failuresToBreak = 5;
const sparedMs = 10_000;

/** Somebody who asks for nonsense must not keep the provider from all others. */
const isOfProvider = (error: Error): boolean => !(error instanceof ProviderFailure && error.ofThisNumber);

/** The provider within bounds: it may take so long, and when it fails again and again it is left alone for a while. */
@Injectable()
export class GuardedProvider {
  readonly timeoutMs: number;
  private readonly provider: LiveProvider | undefined;
  private readonly patience;
  private readonly breaker = circuitBreaker(handleWhen(isOfProvider), {
    halfOpenAfter: sparedMs,
    breaker: new ConsecutiveBreaker(failuresToBreak),
  });
  private sparedUntil = 0;

  constructor(
    { provider }: ConfiguredProvider,
    config: LookupConfig,
    private readonly metrics: LiveMetrics,
    private readonly logger: AppLogger,
  ) {
    this.provider = provider;
    this.timeoutMs = config.LOOKUP_PROVIDER_TIMEOUT_MS;
    this.patience = timeout(this.timeoutMs, TimeoutStrategy.Aggressive);
    this.breaker.onBreak(() => {
      this.sparedUntil = performance.now() + sparedMs;
      logger.warn(
        { failures: failuresToBreak, sparedMs },
        'the live provider of look-ups keeps failing: it is left alone for a while',
      );
    });
    this.breaker.onReset(() => {
      logger.info({}, 'the live provider of look-ups answers again');
    });
  }

  /** Whether it is left alone at this moment, so that nobody needs to pay; the look-up then counts as spared. */
  isSpared(): boolean {
    const spared = this.breaker.state === CircuitState.Open && performance.now() < this.sparedUntil;
    if (spared) this.metrics.count('spared');
    return spared;
  }

  /** `undefined` when it gave no answer. */
  async ask(phone: ParsedPhone): Promise<LiveFinding | undefined> {
    try {
      const finding = await this.breaker.execute(() => this.askInTime(phone));
      this.metrics.count('answered');
      return finding;
    } catch (error) {
      const spared = error instanceof BrokenCircuitError;
      this.metrics.count(spared ? 'spared' : 'failed');
      if (!spared) this.logger.warn({ reason: (error as Error).message }, 'the live provider gave no answer');
      return undefined;
    }
  }

  private async askInTime(phone: ParsedPhone): Promise<LiveFinding> {
    const { provider } = this;
    if (!provider) throw new Error('No live provider is configured');
    const started = performance.now();
    try {
      return await this.patience.execute(({ signal }) => provider.ask(phone, signal));
    } finally {
      this.metrics.took((performance.now() - started) / 1_000);
    }
  }
}
