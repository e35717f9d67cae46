import { airtimeReason, type AirtimeReasonCode, type Reason } from '@gangan/contracts';
import type { ClaimedPurchase } from '../purchase.js';
import type { QueryResult, SubmitResult } from '../providers/airtime-provider.js';
import type { Cost } from '@gangan/providers';
import type { SettlementSchedule } from './settlement-schedule.js';

/**
 * What a provider returned; what an operator found out about a purchase in `error` (`resolved`); or that an unsubmitted
 * purchase was held for too long (`lapsed`), or is a duplicate.
 */
export type PurchaseEvent =
  | SubmitResult
  | QueryResult
  | { readonly kind: 'resolved'; readonly state: 'success' | 'failed' }
  | { readonly kind: 'lapsed' | 'duplicate' };

/** Ends a purchase and settles its money. */
export interface Finish {
  readonly to: 'success' | 'failed' | 'duplicate';
  /** The provider reported a success. It counts even if another worker has claimed the purchase since. */
  readonly confirmed?: true;
  readonly providerReference?: string | undefined;
  /** What the provider says that it costs. */
  readonly cost?: Cost | undefined;
  readonly reason?: Reason;
}

/**
 * Leaves a purchase unfinished. `pending`: nothing was sent, it is submitted again. `sent`: the outcome is unknown, the
 * provider is queried again. `error`: the outcome stayed unknown for too long, an operator has to find out.
 */
export interface Wait {
  readonly to: 'pending' | 'sent' | 'error';
  readonly retryInMs?: number;
  readonly providerReference?: string | undefined;
  /** What it costs if it was made. */
  readonly cost?: Cost | undefined;
  readonly reason?: Reason | undefined;
}

export const isFinish = (change: Finish | Wait): change is Finish =>
  change.to === 'success' || change.to === 'failed' || change.to === 'duplicate';

const reason = (code: AirtimeReasonCode): Reason => airtimeReason(code);

const unreachable = reason('provider_unreachable');
const neverArrived = reason('never_arrived');
const noAnswer = reason('no_answer');
const suspended = reason('suspended');
const boughtBefore = reason('duplicate');
const failedByHand = reason('failed_by_hand');

/**
 * Decides the next state of a purchase. A submitted purchase is not refunded while its outcome is unknown; the provider
 * is queried instead.
 */
export function transition(
  { elapsedMs, createdAt }: Pick<ClaimedPurchase, 'elapsedMs' | 'createdAt'>,
  event: PurchaseEvent,
  schedule: Pick<SettlementSchedule, 'nextDelayMs' | 'notFoundAfterMs'>,
  now = new Date(),
): Finish | Wait {
  switch (event.kind) {
    case 'success':
      return { to: 'success', confirmed: true, providerReference: event.providerReference, cost: event.cost };
    case 'failed':
    case 'declined':
      return { to: 'failed', reason: event.reason };
    case 'not_sent':
    case 'refused': {
      const retryInMs = schedule.nextDelayMs(Math.max(0, now.getTime() - createdAt.getTime()));
      return retryInMs === undefined ? { to: 'failed', reason: unreachable } : { to: 'pending', retryInMs };
    }
    case 'not_found': {
      const finalInMs = Math.max(schedule.notFoundAfterMs, event.finalAfterMs ?? 0) - elapsedMs;
      if (finalInMs <= 0) return { to: 'failed', reason: neverArrived };
      return stayUnknown(earlier(schedule.nextDelayMs(elapsedMs), Math.ceil(finalInMs)), {
        reason: noAnswer,
      });
    }
    case 'unknown':
      return stayUnknown(schedule.nextDelayMs(elapsedMs), event);
    case 'lapsed':
      return { to: 'failed', reason: suspended };
    case 'duplicate':
      return { to: 'duplicate', reason: boughtBefore };
    case 'resolved':
      return event.state === 'success' ? { to: 'success' } : { to: 'failed', reason: failedByHand };
  }
}

/** The provider is queried again as soon as the same result would be final. */
const earlier = (plannedMs: number | undefined, finalInMs: number): number | undefined =>
  plannedMs === undefined ? undefined : Math.min(plannedMs, finalInMs);

const stayUnknown = (
  retryInMs: number | undefined,
  { reason, providerReference, cost }: { reason?: Reason; providerReference?: string; cost?: Cost },
): Wait =>
  retryInMs === undefined
    ? { to: 'error', reason: reason ?? noAnswer }
    : { to: 'sent', retryInMs, reason, providerReference, cost };

/** The result of a call that timed out or threw. */
export const unknownOutcome = { kind: 'unknown', reason: noAnswer } as const;
