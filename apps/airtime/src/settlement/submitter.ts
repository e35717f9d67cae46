import { airtimeReason } from '@gangan/contracts';
import { isTransient } from '@gangan/database';
import { KeyedBatcher } from '@gangan/leases';
import { Injectable } from '@nestjs/common';
import type { SubmitResult } from '../providers/airtime-provider.js';
import { type AdmittedProvider, AirtimeProviders } from '../providers/airtime-providers.js';
import { declined } from '../providers/http-answers.js';
import { type ClaimedPurchase, referenceOf } from '../purchase.js';
import { duplicateKey, GroupLockedError } from './duplicates.js';
import { PurchaseOutcomes } from './outcomes.js';
import { SettlementSchedule } from './settlement-schedule.js';
import { SettlementRepository, type Submission } from './settlement.repository.js';

/** What was decided about a purchase, with its group. */
interface Start {
  /** Absent if the purchase is not submitted. */
  readonly submitting: ClaimedPurchase | undefined;
  /** When the lease began, or before. */
  readonly leasedAt: number;
  /** The end of all duplicates of the group. Submissions do not wait for it. */
  readonly duplicates: Promise<unknown>;
}

/** How long a purchase waits if the lock of its group was not released in time. */
const lockedDelayMs = 1_000;

/** Submits purchases to the providers of their route. A purchase that was submitted is never submitted again. */
@Injectable()
export class PurchaseSubmitter {
  /** Purchases that may be duplicates of one another are decided together: one transaction at a time for each group. */
  private readonly starts = new KeyedBatcher<Submission, Start>({
    keyOf: ({ purchase }) => duplicateKey(purchase),
    run: (submissions) => this.startAll(submissions),
    concernsAll: (error) => isTransient(error) || error instanceof GroupLockedError,
  });

  constructor(
    private readonly repository: SettlementRepository,
    private readonly outcomes: PurchaseOutcomes,
    private readonly providers: AirtimeProviders,
    private readonly schedule: SettlementSchedule,
  ) {}

  async submit(pending: ClaimedPurchase): Promise<void> {
    if (isWithdrawn(pending)) return this.outcomes.apply(pending, productUnavailable);
    const [first, ...others] = await this.providers.admit(pending);
    if (!first) return this.outcomes.apply(pending, notSent);
    const start = await this.start(submissionTo(first, pending));
    if (!start?.submitting) await this.providers.release(first);
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
    const ended = Promise.all(
      duplicates.map((purchase) => this.outcomes.apply(purchase, { kind: 'duplicate' })),
    );
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
   * @param isRetryable whether a provider before this one may take the purchase later
   */
  private async submitTo(
    admitted: AdmittedProvider,
    purchase: ClaimedPurchase,
    [next, ...others]: readonly AdmittedProvider[],
    leasedAt: number,
    isRetryable = false,
  ): Promise<void> {
    const result = await this.callOnce(admitted, purchase, leasedAt);
    if (result.kind !== 'not_sent' && result.kind !== 'declined')
      return this.outcomes.apply({ ...purchase, elapsedMs: 0 }, result);
    const mayRetry = isRetryable || result.kind === 'not_sent';
    if (!next) return this.outcomes.apply(purchase, mayRetry ? notSent : result);
    const startedAt = performance.now();
    const submission = submissionTo(next, purchase);
    if (!(await this.repository.changeProvider(submission))) return;
    const requestReference = submission.reference ?? null;
    const changed = { ...purchase, provider: submission.provider, requestReference };
    await this.submitTo(next, changed, others, startedAt, mayRetry);
  }

  private async callOnce(
    admitted: AdmittedProvider,
    purchase: ClaimedPurchase,
    leasedAt: number,
  ): Promise<SubmitResult> {
    const { provider } = admitted;
    const { network, recipient, kobo, product } = purchase;
    if (isWithdrawn(purchase)) {
      await this.providers.release(admitted);
      return productUnavailable;
    }
    const isLate = performance.now() - leasedAt > this.schedule.startMs;
    if (isLate || !this.providers.reserve(provider, kobo)) {
      await this.providers.release(admitted);
      return notSent;
    }
    const reference = referenceOf(purchase);
    const topUp = { reference, network, recipient, kobo, product: product?.code };
    const result = await this.outcomes.call<SubmitResult>(purchase, (signal) =>
      provider.submit(topUp, signal),
    );
    await this.providers.record(admitted, kobo, result);
    return result;
  }
}

const submissionTo = ({ provider }: AdmittedProvider, purchase: ClaimedPurchase): Submission => ({
  purchase,
  provider: provider.name,
  reference: provider.referenceFor?.(purchase.id, new Date()),
});

/** The provider no longer lists the product, or not at this price. */
const isWithdrawn = ({ product }: ClaimedPurchase): boolean => product?.active === false;

const productUnavailable = declined('product_unavailable');

const notSent = { kind: 'not_sent', reason: airtimeReason('provider_unreachable') } as const;

/** A purchase may be in a batch twice: from its event, and claimed by the sweeper. Only the last claim is submitted. */
function newestById(submissions: readonly Submission[]): ReadonlyMap<string, Submission> {
  const newest = new Map<string, Submission>();
  for (const submission of submissions) {
    const { id, attempt } = submission.purchase;
    if (attempt > (newest.get(id)?.purchase.attempt ?? -1)) newest.set(id, submission);
  }
  return newest;
}
