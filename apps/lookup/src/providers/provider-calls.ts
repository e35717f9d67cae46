import type { ParsedPhone } from '@gangan/contracts';
import { type Cost, FailureCounts, type LookupCall, type LookupFinding } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { LookupConfig } from '../lookup.config.js';
import { LookupMetrics } from '../lookup.metrics.js';
import { toNetworkName } from '../numbering-plan.js';
import type { LookupProvider } from './lookup-provider.js';
import { ProviderCounts } from './provider-counts.js';

const openMs = 10_000;
/** A lookup must end before the deadline of its request, 10 s. */
const maxLookupMs = 8_000;

/** What a provider reported. */
export interface ProviderAnswer {
  readonly provider: LookupProvider;
  readonly finding: LookupFinding;
  readonly cost: Cost | undefined;
}

/** The state of a provider is kept in each worker: the one in LOOKUP_PROVIDER_FILE has no row that could keep it. */
interface Circuit {
  readonly failures: FailureCounts;
  /** Until when calls are paused; 0 if they are not. Then one lookup tests the provider. */
  pausedUntil: number;
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
      // A rule says that the provider refuses this number; others would too.
      if (call?.outcome === 'failed') break;
    }
    this.metrics.calls.inc({ outcome: 'failed' });
    return undefined;
  }

  /** `undefined` if calls to the provider are paused, or if another lookup is testing it. */
  private async call(
    provider: LookupProvider,
    phone: ParsedPhone,
    signal: AbortSignal,
  ): Promise<LookupCall | undefined> {
    const circuit = this.circuitOf(provider);
    if (circuit.pausedUntil > performance.now()) return undefined;
    const isTest = circuit.pausedUntil > 0;
    if (isTest) circuit.pausedUntil = Infinity;
    const observe = this.metrics.seconds.startTimer();
    const call = await provider
      .call(phone, signal)
      .finally(observe)
      .catch(() => undefined);
    this.judge(provider, call, isTest);
    if (call) this.record(provider, call);
    return call;
  }

  /** Results of calls that began before calls were paused do not count. */
  private judge(provider: LookupProvider, call: LookupCall | undefined, isTest: boolean): void {
    const circuit = this.circuitOf(provider);
    if (circuit.pausedUntil > 0 && !isTest) return;
    const { name } = provider;
    const fails = call === undefined || saysNotHealthy(call);
    const fault = circuit.failures.add([{ verdict: fails ? 'fails' : 'accepts', code: '' }]);
    circuit.pausedUntil = fault ? performance.now() + openMs : 0;
    if (fault && !isTest)
      this.logger.warn({ provider: name, openMs }, 'a lookup provider keeps failing: calls are paused');
    if (!fault && isTest) this.logger.info({ provider: name }, 'a lookup provider answers again');
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
    return this.circuitOf(provider).pausedUntil > performance.now();
  }

  /** Another row or file under the same name, or other settings, begin with a closed circuit. */
  private circuitOf({ identity }: LookupProvider): Circuit {
    let circuit = this.circuits.get(identity);
    if (!circuit) this.circuits.set(identity, (circuit = { failures: new FailureCounts(), pausedUntil: 0 }));
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
