import { CallbackAnnouncer } from '@gangan/callbacks';
import { isTransient } from '@gangan/database';
import { KeyedBatcher } from '@gangan/leases';
import { callProvider } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { AirtimeMetrics } from '../airtime.metrics.js';
import type {
  AirtimeProvider,
  QueryResult,
  SubmitResult,
  TopUpQuery,
  TopUpResult,
} from '../providers/airtime-provider.js';
import { AirtimeProviders } from '../providers/airtime-providers.js';
import type { ClaimedPurchase } from '../purchase.js';
import { duplicateKey, GroupLockedError } from './duplicates.js';
import { type FinishInput, PurchaseFinisher } from './finish-purchases.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { SettlementRepository, type Submission } from './settlement.repository.js';
import { isFinish, type PurchaseEvent, transition, unknownOutcome, type Wait } from './transition.js';

/** What was decided about a purchase, with its group. */
interface Start {
  /** Absent if it is not submitted. */
  readonly submitting: ClaimedPurchase | undefined;
  /** When its lease began, or before. */
  readonly leasedAt: number;
  /** The end of all duplicates of the group. Submissions do not wait for it. */
  readonly duplicates: Promise<unknown>;
}

/** How long a purchase waits if the lock of its group was not released in time. */
const lockedDelayMs = 1_000;

/** Submits purchases and settles them. A purchase that was submitted is never submitted again. */
@Injectable()
export class SettlementService {
  /** Purchases that may be duplicates of one another are decided together: one transaction at a time for each group. */
  private readonly starts = new KeyedBatcher<Submission, Start>({
    keyOf: ({ purchase }) => duplicateKey(purchase),
    run: (submissions) => this.startAll(submissions),
    concernsAll: (error) => isTransient(error) || error instanceof GroupLockedError,
  });

  constructor(
    private readonly repository: SettlementRepository,
    private readonly finisher: PurchaseFinisher,
    private readonly providers: AirtimeProviders,
    private readonly schedule: SettlementSchedule,
    private readonly callbacks: CallbackAnnouncer,
    private readonly metrics: AirtimeMetrics,
    private readonly logger: AppLogger,
  ) {}

  /** Settles a new purchase. Never fails: a purchase that is not settled here becomes due, and the sweeper claims it. */
  async settle(id: string): Promise<void> {
    try {
      const purchase = await this.repository.findNew(id);
      if (purchase) await this.submit(purchase);
    } catch (error) {
      this.logger.warn(
        { err: error, purchase: id },
        'a purchase could not be settled; the sweeper retries it',
      );
    }
  }

  /** Continues a purchase that the sweeper claimed. */
  async resume(purchase: ClaimedPurchase): Promise<void> {
    const { state, resolution } = purchase;
    if (state === 'pending') return this.submit(purchase);
    if (resolution === 'success' || resolution === 'failed')
      return this.apply(purchase, { kind: 'resolved', state: resolution });
    const provider = this.providers.findByName(purchase.provider ?? '');
    const result = provider
      ? await this.call(purchase, (signal) => provider.query(queryOf(purchase), signal))
      : unknownOutcome;
    return this.apply(purchase, result);
  }

  /** Ends a purchase that was held until it was too late to submit it. */
  endLapsed(purchase: ClaimedPurchase): Promise<void> {
    return this.apply(purchase, { kind: 'lapsed' });
  }

  private async submit(pending: ClaimedPurchase): Promise<void> {
    const [first, ...others] = await this.providers.admit(pending);
    if (!first) return this.apply(pending, notSent);
    const start = await this.start(submissionTo(first, pending));
    if (!start) return;
    const { submitting, leasedAt, duplicates } = start;
    const submission = submitting && this.submitTo(first, submitting, others, leasedAt);
    // A refund that fails must not leave the call to the provider running unnoticed.
    const results = await Promise.allSettled([duplicates, submission]);
    const failure = results.find((result) => result.status === 'rejected');
    if (failure) throw failure.reason as Error;
  }

  /** If another worker keeps its group locked, the purchase is given back. */
  private async start(submission: Submission): Promise<Start | undefined> {
    try {
      return await this.starts.add(submission);
    } catch (error) {
      if (!(error instanceof GroupLockedError)) throw error;
      await this.repository.moveTo(submission.purchase, { to: 'pending', retryInMs: lockedDelayMs });
      return undefined;
    }
  }

  private async startAll(submissions: readonly Submission[]): Promise<Start[]> {
    const leasedAt = performance.now();
    const newest = newestById(submissions);
    const { submitting, duplicates } = await this.repository.startSubmissions([...newest.values()]);
    const byId = new Map(submitting.map((purchase) => [purchase.id, purchase]));
    const ended = Promise.all(duplicates.map((purchase) => this.apply(purchase, { kind: 'duplicate' })));
    return submissions.map((submission) => {
      const { id } = submission.purchase;
      return {
        submitting: newest.get(id) === submission ? byId.get(id) : undefined,
        leasedAt,
        duplicates: ended,
      };
    });
  }

  /**
   * @param leasedAt when the lease began: if that is too long ago, another worker may soon refund the purchase because the
   * provider has not found it
   */
  private async submitTo(
    provider: AirtimeProvider,
    purchase: ClaimedPurchase,
    [next, ...others]: readonly AirtimeProvider[],
    leasedAt: number,
  ): Promise<void> {
    const isLate = performance.now() - leasedAt > this.schedule.startMs;
    const { network, recipient, kobo } = purchase;
    const topUp = { reference: referenceOf(purchase), network, recipient, kobo };
    const isCalled = !isLate && this.providers.reserve(provider, kobo);
    const result = !isCalled
      ? notSent
      : await this.call<SubmitResult>(purchase, (signal) => provider.submit(topUp, signal));
    if (isCalled) await this.providers.record(provider, kobo, result);
    if (result.kind !== 'not_sent') return this.apply({ ...purchase, elapsedMs: 0 }, result);
    if (!next) return this.apply(purchase, result);
    const startedAt = performance.now();
    const submission = submissionTo(next, purchase);
    if (await this.repository.changeProvider(submission)) {
      const requestReference = submission.reference ?? null;
      await this.submitTo(next, { ...purchase, provider: next.name, requestReference }, others, startedAt);
    }
  }

  /** A call that fails or times out has an unknown outcome; a result that arrives after the timeout still counts. */
  private call<T extends SubmitResult | QueryResult>(
    purchase: ClaimedPurchase,
    call: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | TopUpResult> {
    return callProvider<T | TopUpResult>(call, this.schedule.callTimeoutMs, {
      fallback: unknownOutcome,
      onError: (error) => {
        const { id, provider } = purchase;
        this.logger.warn({ err: error, purchase: id, provider }, 'a provider call failed');
      },
      onLateResult: (result) => this.applyLate(purchase, result),
    });
  }

  /** Possibly no other worker gets this result, so a failure to store it is logged with all data needed to recover it. */
  private async applyLate(purchase: ClaimedPurchase, result: SubmitResult | QueryResult): Promise<void> {
    try {
      if (result.kind === 'success' || result.kind === 'failed') await this.apply(purchase, result);
      else if (result.kind === 'unknown' && result.providerReference !== undefined)
        await this.repository.storeReference(purchase.id, result.providerReference);
    } catch (error) {
      this.logger[result.kind === 'success' ? 'error' : 'warn'](
        { err: error, ...logFields(purchase), result },
        'a late result of a provider could not be stored: ask the provider about the purchase',
      );
    }
  }

  private async apply(purchase: ClaimedPurchase, event: PurchaseEvent): Promise<void> {
    const next = transition(purchase, event, this.schedule);
    if (isFinish(next)) return this.finish({ purchase, ...next });
    const callbackIds = await this.move(purchase, next);
    if (!callbackIds) return;
    if (next.to === 'error') {
      this.metrics.ended.inc({ outcome: 'error' });
      this.logger.error(
        logFields(purchase),
        'the outcome of an airtime purchase is still unknown: ask the provider, then run pnpm admin airtime resolve',
      );
    }
    await this.callbacks.announce(callbackIds);
  }

  /** The reference may be all by which the provider can be asked: it is kept even if another worker has the claim. */
  private async move(purchase: ClaimedPurchase, next: Wait): Promise<readonly string[] | undefined> {
    const { providerReference } = next;
    try {
      const callbackIds = await this.repository.moveTo(purchase, next);
      if (!callbackIds && providerReference !== undefined)
        await this.repository.storeReference(purchase.id, providerReference);
      return callbackIds;
    } catch (error) {
      if (providerReference !== undefined)
        this.logger.warn(
          { err: error, ...logFields(purchase), providerReference },
          'the reference of a provider could not be stored: ask the provider about the purchase by it',
        );
      throw error;
    }
  }

  private async finish(input: FinishInput): Promise<void> {
    const { outcome, callbackIds } = await this.finisher.finish(input);
    if (outcome === 'finished') this.metrics.ended.inc({ outcome: input.to });
    if (outcome === 'loss') this.metrics.losses.inc();
    if (outcome in faults)
      this.logger.error(logFields(input.purchase), faults[outcome as keyof typeof faults]);
    await this.callbacks.announce(callbackIds);
  }
}

/** What the provider got as our reference. */
const referenceOf = ({ id, requestReference }: ClaimedPurchase): string => requestReference ?? id;

const queryOf = (purchase: ClaimedPurchase): TopUpQuery => ({
  reference: referenceOf(purchase),
  providerReference: purchase.providerReference,
});

const submissionTo = (provider: AirtimeProvider, purchase: ClaimedPurchase): Submission => ({
  purchase,
  provider: provider.name,
  reference: provider.referenceFor?.(purchase.id, new Date()),
});

const notSent = {
  kind: 'not_sent',
  reason: { code: 'provider_unreachable', message: 'No provider could be called' },
} as const;

/** Outcomes that an operator has to know. */
const faults = {
  loss: 'airtime was delivered after its refund and booked as a loss',
  unexpected:
    'a provider reported success for a purchase that was not submitted: check whether it was delivered',
};

const logFields = ({ id: purchase, organisationId, provider }: ClaimedPurchase) => ({
  purchase,
  organisationId,
  provider,
});

/** A purchase may be in a batch twice: from its event, and claimed by the sweeper. Only the last claim is submitted. */
function newestById(submissions: readonly Submission[]): ReadonlyMap<string, Submission> {
  const newest = new Map<string, Submission>();
  for (const submission of submissions) {
    const { id, attempt } = submission.purchase;
    if (attempt > (newest.get(id)?.purchase.attempt ?? -1)) newest.set(id, submission);
  }
  return newest;
}
