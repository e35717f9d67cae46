import { Database } from '@gangan/database';
import { type ClaimedJob, LeasedJobRunner } from '@gangan/leases';
import { LogInterval } from '@gangan/protocol';
import type { PolledState } from '@gangan/providers';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { deliveryPolls } from '../outcome/delivery-polls.js';
import { DeliveryMetrics } from '../outcome/delivery.metrics.js';
import { reportReason } from '../outcome/reasons.js';
import { ProviderHealth } from '../providers/health/provider-health.js';
import type { PollSource } from '../providers/message-provider.js';
import { Providers } from '../providers/providers.js';
import { type DeliveryReport, ReportsService } from './reports.service.js';

/** The longest time for which a provider that asks for it is left alone. */
const maxPostponedMs = 300_000;

/** Messages of one provider that this worker asks about. */
interface ClaimedPolls extends ClaimedJob {
  readonly provider: string;
  readonly source: PollSource;
  readonly references: readonly string[];
}

/** Asks providers what became of messages that they accepted. What they say is applied like a report. */
@Injectable()
export class StatePoller {
  private readonly turns: string[] = [];
  private readonly faults = new LogInterval();

  constructor(
    private readonly database: Database,
    private readonly providers: Providers,
    private readonly health: ProviderHealth,
    private readonly reports: ReportsService,
    private readonly metrics: DeliveryMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Providers that get no messages now are not asked either. */
  async claimNext(): Promise<ClaimedPolls | undefined> {
    const sources = this.providers.pollSources();
    const names = [...sources.keys()].filter((name) => this.health.isUp(name));
    if (this.turns.length === 0 && names.length > 0)
      this.turns.push(...(await deliveryPolls.claimTurns(this.database, names)));
    for (let provider = this.turns.shift(); provider !== undefined; provider = this.turns.shift()) {
      const source = sources.get(provider);
      if (!source) continue;
      const { perSecond, afterMs } = source;
      const references = await deliveryPolls.claim(this.database, provider, perSecond, afterMs);
      if (references.length > 0) return { provider, source, references, stalls: 1 };
    }
    return undefined;
  }

  async ask({ provider, source, references }: ClaimedPolls, signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const polled = await source.ask(references, signal);
    this.metrics.calls.observe({ provider, call: 'poll' }, (performance.now() - startedAt) / 1_000);
    const reports = references.flatMap((providerReference, index): DeliveryReport[] => {
      const found = polled[index];
      if (!found || 'fault' in found) return [];
      const { state, reason: code } = found;
      return [
        { providerReference, state, reason: code === undefined ? undefined : reportReason(state, code) },
      ];
    });
    await this.reports.receive(provider, reports);
    if (!signal.aborted) await this.noteFaults(provider, polled);
  }

  private async noteFaults(provider: string, polled: readonly PolledState[]): Promise<void> {
    const faults = polled.filter((one) => 'fault' in one);
    const [first] = faults;
    if (first && this.faults.isDue(provider))
      this.logger.warn(
        { provider, cause: first.fault, messages: faults.length },
        'a provider did not say what became of messages; it is asked again later',
      );
    const retryAfterMs = Math.max(0, ...faults.map((one) => one.retryAfterMs ?? 0));
    if (retryAfterMs > 0)
      await deliveryPolls.postponeTurn(this.database, provider, Math.min(retryAfterMs, maxPostponedMs));
  }
}

/** Asks a few providers at a time, so that one that does not answer delays no other. */
@Injectable()
export class StatePollerRunner extends LeasedJobRunner<ClaimedPolls> {
  constructor(poller: StatePoller, logger: AppLogger) {
    super(
      {
        name: 'message state',
        concurrency: 4,
        maxStalls: 1,
        maxDelayMs: 60_000,
        describe: ({ provider, references }) => ({ provider, messages: references.length }),
        claimNext: () => poller.claimNext(),
        runSlice: (claimed, signal) => poller.ask(claimed, signal),
        // A claim has set the time of the next one.
        release: () => Promise.resolve(),
        fail: () => Promise.resolve(),
      },
      logger,
    );
  }
}
