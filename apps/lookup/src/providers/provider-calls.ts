import type { ParsedPhone } from '@gangan/contracts';
import type { Cost, LookupCall, LookupFinding } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import {
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  handleType,
} from 'cockatiel';
import { LookupConfig } from '../lookup.config.js';
import { LookupMetrics } from '../lookup.metrics.js';
import { toNetworkName } from '../numbering-plan.js';
import type { LookupProvider } from './lookup-provider.js';
import { ProviderCounts } from './provider-counts.js';

const maxFailures = 5;
const openMs = 10_000;
/** A lookup must end before the deadline of its request, 10 s. */
const maxLookupMs = 8_000;

/** What a provider reported. */
export interface ProviderAnswer {
  readonly provider: LookupProvider;
  readonly finding: LookupFinding;
  readonly cost: Cost | undefined;
}

/** A call that says something about the health of its provider. */
class FailedCallError extends Error {}

interface Circuit {
  readonly breaker: CircuitBreakerPolicy;
  openUntil: number;
}

/**
 * Asks providers one after the other until one answers. Each has a circuit breaker in each worker. An answer that concerns
 * only one number does not count: one caller must not block a provider for all.
 */
@Injectable()
export class ProviderCalls {
  /** How long one lookup may wait for another worker and then for its own calls. */
  readonly maxTotalMs: number;
  private readonly circuits = new Map<string, Circuit>();
  private readonly timeoutMs: number;

  constructor(
    config: LookupConfig,
    private readonly metrics: LookupMetrics,
    private readonly counts: ProviderCounts,
    private readonly logger: AppLogger,
  ) {
    this.timeoutMs = config.LOOKUP_PROVIDER_TIMEOUT_MS;
    this.maxTotalMs = Math.max(maxLookupMs, this.timeoutMs);
  }

  /** How long all calls of one lookup may take. */
  totalMs(providers: readonly LookupProvider[]): number {
    return Math.min(providers.length * this.timeoutMs, this.maxTotalMs);
  }

  /** Whether calls to all of them are paused, so that nothing needs to be reserved; counts the lookup as spared. */
  arePaused(providers: readonly LookupProvider[]): boolean {
    const paused = providers.every((provider) => this.isPaused(provider));
    if (paused) this.metrics.calls.inc({ outcome: 'spared' });
    return paused;
  }

  /** `undefined` if no provider gave a usable answer before the deadline. Never fails. */
  async find(
    providers: readonly LookupProvider[],
    phone: ParsedPhone,
    deadline: number,
  ): Promise<ProviderAnswer | undefined> {
    const leftMs = Math.floor(Math.min(this.totalMs(providers), deadline - performance.now()));
    const signal = leftMs > 0 ? AbortSignal.timeout(leftMs) : AbortSignal.abort();
    for (const provider of providers) {
      if (signal.aborted) break;
      const call = await this.call(provider, phone, signal);
      if (call?.outcome === 'accepted' || call?.outcome === 'not_found') {
        this.metrics.calls.inc({ outcome: 'answered' });
        return { provider, finding: spelt(call.finding ?? {}), cost: call.cost };
      }
      // A rule says that it refuses this number; so would others.
      if (call?.outcome === 'failed') break;
    }
    this.metrics.calls.inc({ outcome: 'failed' });
    return undefined;
  }

  /** `undefined` if calls to it are paused, or if another lookup tests it at the moment. */
  private async call(
    provider: LookupProvider,
    phone: ParsedPhone,
    signal: AbortSignal,
  ): Promise<LookupCall | undefined> {
    let call: LookupCall | undefined;
    try {
      await this.circuitOf(provider).breaker.execute(async () => {
        const observe = this.metrics.seconds.startTimer();
        call = await provider.call(phone, signal).finally(observe);
        if (saysNotHealthy(call)) throw new FailedCallError();
      });
    } catch {
      // The circuit is open, or the call failed.
    }
    if (call) this.record(provider, call);
    return call;
  }

  private record({ name }: LookupProvider, call: LookupCall): void {
    const { outcome, reason = '' } = call;
    this.metrics.providerCalls.inc({ provider: name, outcome });
    this.counts.add(name, call);
    if (outcome === 'accepted' || outcome === 'not_found') return;
    const details = {
      provider: name,
      outcome,
      reason,
      status: call.shown.answer?.status,
      detail: withoutNumbers(call.detail),
    };
    if (outcome === 'account')
      this.logger.error(
        details,
        'a lookup provider refuses our account: check its balance, its credentials and its settings (`pnpm admin providers test` shows its answer)',
      );
    else this.logger.warn(details, 'the call to a lookup provider failed');
  }

  private isPaused(provider: LookupProvider): boolean {
    const { breaker, openUntil } = this.circuitOf(provider);
    return breaker.state === CircuitState.Open && performance.now() < openUntil;
  }

  /** Another row or file under the same name, or other settings, begin with a closed circuit. */
  private circuitOf({ name, identity }: LookupProvider): Circuit {
    const known = this.circuits.get(identity);
    if (known) return known;
    const breaker = circuitBreaker(handleType(FailedCallError), {
      halfOpenAfter: openMs,
      breaker: new ConsecutiveBreaker(maxFailures),
    });
    const circuit: Circuit = { breaker, openUntil: 0 };
    breaker.onBreak(() => {
      circuit.openUntil = performance.now() + openMs;
      this.logger.warn(
        { provider: name, failures: maxFailures, openMs },
        'a lookup provider keeps failing: calls are paused',
      );
    });
    breaker.onReset(() => {
      this.logger.info({ provider: name }, 'a lookup provider answers again');
    });
    this.circuits.set(identity, circuit);
    return circuit;
  }
}

/** Reasons of calls that got no answer, or none that can be read. A reason that a rule gives is that of one number. */
const notHealthy: ReadonlySet<string> = new Set([
  ...['no_answer', 'unreadable_answer', 'unclear_answer', 'provider_unreachable', 'provider_unavailable'],
  ...['provider_error', 'no_access_token', 'invalid_request', 'throttled'],
]);

/** What a call says about its provider, not about the number. */
const saysNotHealthy = ({ outcome, reason = '' }: LookupCall): boolean =>
  outcome === 'account' || (outcome !== 'failed' && notHealthy.has(reason));

/** What a provider says may repeat the number. */
const withoutNumbers = (text = ''): string => text.replaceAll(/\+?\d[\d\s().-]{4,}\d/g, '***');

const spelt = ({ operator, ...finding }: LookupFinding): LookupFinding =>
  operator === undefined ? finding : { ...finding, operator: toNetworkName(operator) };
