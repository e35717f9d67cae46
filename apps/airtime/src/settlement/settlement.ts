import { CallbackAnnouncer } from '@gangan/callbacks';
import { callProvider } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { AirtimeProvider, Finding, Inquiry, Reason, Submission } from '../providers/airtime-provider.js';
import { Providers } from '../providers/providers.js';
import { Conclusions, type Verdict } from './conclusions.js';
import type { Held } from './held.js';
import { Patience } from './patience.js';
import { SettlementMetrics } from './settlement-metrics.js';
import { SettlementRepository } from './settlement.repository.js';

const unreachable: Reason = {
  code: 'provider_unreachable',
  message: 'No provider could be reached; nothing was sent',
};
const neverArrived: Reason = { code: 'never_arrived', message: 'The provider never received it' };
const noAnswer: Reason = { code: 'no_answer', message: 'The provider has not told what became of it' };
const foundByHand: Reason = { code: 'failed_by_hand', message: 'Found not to have been delivered' };

/** How long a purchase waits while somebody decides about its twin. */
const crowdedMs = 1_000;

/**
 * Brings purchases to their end. What was handed to a provider is never handed over again, and never given back on a
 * guess: as long as its outcome is unknown, the provider is asked.
 */
@Injectable()
export class Settlement {
  constructor(
    private readonly repository: SettlementRepository,
    private readonly conclusions: Conclusions,
    private readonly providers: Providers,
    private readonly patience: Patience,
    private readonly callbacks: CallbackAnnouncer,
    private readonly metrics: SettlementMetrics,
    private readonly logger: AppLogger,
  ) {}

  /**
   * A purchase that was just paid for. One that somebody has taken up is left to them; what goes wrong is left to the
   * sweeper, as the row is still there and its time will come.
   */
  async settle(id: string): Promise<void> {
    try {
      const held = await this.repository.findUntouched(id);
      if (held) await this.submit(held);
    } catch (error) {
      this.logger.warn({ err: error, purchase: id }, 'a purchase could not be settled yet');
    }
  }

  /** A purchase that was found overdue. */
  async resume(held: Held): Promise<void> {
    if (held.state === 'pending') await this.submit(held);
    else if (held.resolution === 'success') await this.conclude({ held, state: 'success' });
    else if (held.resolution === 'failed')
      await this.conclude({ held, state: 'failed', reason: foundByHand });
    else await this.inquire(held);
  }

  private async submit(pending: Held): Promise<void> {
    const [first, ...others] = this.providers.of(pending.mode);
    if (!first) {
      await this.release(pending);
      return;
    }
    const startedAt = performance.now();
    const beginning = await this.repository.begin(pending, first.name, this.patience.leaseMs);
    if (beginning.is === 'duplicate') {
      this.metrics.countEnd('duplicate');
      await this.callbacks.announce(beginning.callbackIds);
    }
    if (beginning.is === 'crowded') await this.repository.release(pending, { inMs: crowdedMs });
    if (beginning.is === 'submitting') await this.handOver(beginning.held, first, others, startedAt);
  }

  /** @param markedAt when the mark was being made: one that has grown old may have been overtaken by others */
  private async handOver(
    held: Held,
    provider: AirtimeProvider,
    others: readonly AirtimeProvider[],
    markedAt: number,
  ): Promise<void> {
    const late = performance.now() - markedAt > this.patience.callMs;
    const submission = late ? null : await this.call(held, (signal) => this.submitTo(provider, held, signal));
    if (submission && submission.kind !== 'unreached') {
      await this.hear({ ...held, elapsedMs: 0 }, submission);
      return;
    }
    const [next, ...rest] = others;
    const markingAt = performance.now();
    if (!next) await this.release(held);
    else if (await this.repository.handTo(held, next.name, this.patience.leaseMs))
      await this.handOver(held, next, rest, markingAt);
  }

  private submitTo(provider: AirtimeProvider, held: Held, signal: AbortSignal): Promise<Submission> {
    const { id: reference, network, recipient, kobo } = held;
    return provider.submit({ reference, network, recipient, kobo }, signal);
  }

  private async inquire(held: Held): Promise<void> {
    const provider = this.providers.named(held.provider ?? '');
    const unknown: Finding = { kind: 'unknown', reason: noAnswer };
    await this.hear(
      held,
      provider ? await this.call(held, (signal) => provider.ask(held.id, signal)) : unknown,
    );
  }

  /** What a provider does not answer in time is unknown; what it answers after that is heard all the same. */
  private call<T extends Submission | Inquiry>(
    held: Held,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | Finding> {
    return callProvider<T | Finding>(call, this.patience.callMs, {
      fallback: { kind: 'unknown', reason: noAnswer },
      onError: (error) => {
        this.logger.warn(
          { err: error, purchase: held.id, provider: held.provider },
          'a provider did not answer',
        );
      },
      onLateResult: (answer) => this.hearLate(held, answer),
    });
  }

  /** Whoever has it in hand by now may not ask again, so that nobody else may come to know. */
  private async hearLate(held: Held, answer: Submission | Inquiry): Promise<void> {
    if (answer.kind !== 'success' && answer.kind !== 'failed') return;
    try {
      await this.hear(held, answer);
    } catch (error) {
      const { id: purchase, organisationId, provider } = held;
      const level = answer.kind === 'success' ? 'error' : 'warn';
      this.logger[level](
        { err: error, purchase, organisationId, provider, answer: answer.kind },
        'an answer came late and could not be written down: see what became of the purchase',
      );
    }
  }

  private async hear(
    held: Held,
    answer: Exclude<Submission, { kind: 'unreached' }> | Inquiry,
  ): Promise<void> {
    switch (answer.kind) {
      case 'success':
        return this.conclude({ held, state: 'success', heard: true, ...referenceOf(answer) });
      case 'failed':
        return this.conclude({ held, state: 'failed', reason: answer.reason });
      case 'unheard':
        if (held.elapsedMs >= this.patience.unheardAfterMs)
          return this.conclude({ held, state: 'failed', reason: neverArrived });
        return this.keepWaiting(held, { kind: 'unknown', reason: noAnswer });
      case 'unknown':
        return this.keepWaiting(held, answer);
    }
  }

  private async conclude(verdict: Verdict): Promise<void> {
    const { outcome, callbackIds } = await this.conclusions.conclude(verdict);
    const { id: purchase, organisationId, provider } = verdict.held;
    if (outcome === 'settled') this.metrics.countEnd(verdict.state);
    if (outcome === 'loss') {
      this.metrics.countLoss();
      this.logger.error(
        { purchase, organisationId, provider },
        'airtime was delivered after its money had been given back: booked as a loss',
      );
    }
    if (outcome === 'dropped') {
      this.logger.error(
        { purchase, organisationId, provider },
        'a success was heard of a purchase that nobody was told of: find out whether it was delivered',
      );
    }
    await this.callbacks.announce(callbackIds);
  }

  private async keepWaiting(
    held: Held,
    { providerReference, reason }: Finding & { kind: 'unknown' },
  ): Promise<void> {
    const inMs = this.patience.next(held.elapsedMs);
    if (inMs !== undefined) {
      await this.callbacks.announce(
        await this.repository.keepAsking(held, { inMs, providerReference, reason }),
      );
      return;
    }
    const callbackIds = await this.repository.giveUp(held, reason ?? noAnswer);
    if (!callbackIds) return;
    this.metrics.countEnd('error');
    this.logger.error(
      { purchase: held.id, organisationId: held.organisationId, provider: held.provider },
      'what became of an airtime purchase is still unknown: find out, then pnpm admin airtime resolve',
    );
    await this.callbacks.announce(callbackIds);
  }

  /** Nothing was sent, so that it can be tried again, and given back without a doubt when that was in vain too long. */
  private async release(held: Held): Promise<void> {
    const sinceMade = Date.now() - held.createdAt.getTime();
    const inMs = this.patience.next(Math.max(0, sinceMade));
    if (inMs === undefined) await this.conclude({ held, state: 'failed', reason: unreachable });
    else await this.repository.release(held, { inMs });
  }
}

const referenceOf = ({ providerReference }: { readonly providerReference?: string }) =>
  providerReference === undefined ? {} : { providerReference };
