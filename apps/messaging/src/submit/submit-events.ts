import type { Reason } from '@gangan/contracts';
import { notSubmitted } from '../outcome/reasons.js';
import type { TrafficClass } from '../outcome/retry/retry-policy.js';
import type { DeliveryEvent } from '../outcome/transition.js';
import type { AskResult, MessageProvider, SubmitResult } from '../providers/message-provider.js';
import type { ClaimedDelivery, DueDelivery } from './claims.repository.js';
import type { Unsendable } from './message-bodies.js';

export type SubmitEvent = readonly [DueDelivery, DeliveryEvent];

/** No event if there is no result, or if the provider never accepted the delivery. */
export function eventsOf(delivery: ClaimedDelivery, result: AskResult | undefined): SubmitEvent[] {
  return result === undefined || result.kind === 'not_found' ? [] : [[delivery, eventOf(result, delivery)]];
}

function eventOf(result: SubmitResult, { provider, trafficClass }: ClaimedDelivery): DeliveryEvent {
  switch (result.kind) {
    case 'accepted': {
      const { providerReference, furtherReferences = [], cost } = result;
      return { type: 'accepted', provider, providerReference, furtherReferences, cost };
    }
    case 'rejected':
    case 'failed':
      return { type: 'refused', retryable: false, state: result.kind, reason: result.reason };
    case 'transient':
      return { type: 'refused', retryable: true, reason: result.reason, ...retryOf(result, trafficClass) };
    case 'unknown':
      return { type: 'unanswered', reason: result.reason };
  }
}

/** An OTP does not wait for quiet hours: it ends before they do. */
function retryOf(
  { cause, retryInMs }: Extract<SubmitResult, { readonly kind: 'transient' }>,
  trafficClass: TrafficClass,
) {
  if (cause === 'refused' || (cause === 'quiet' && trafficClass === 'otp')) return { onlyElsewhere: true };
  if (cause === 'quiet') return retryInMs === undefined ? {} : { quietMs: retryInMs };
  return { ...(cause && { keepTrying: true }), ...(retryInMs !== undefined && { retryInMs }) };
}

/**
 * If a provider may have accepted an earlier attempt, the delivery waits for a report, unless it is known to have arrived.
 * A provider that can be asked has said that it does not have it.
 */
export function withoutBody(
  { outcomeUnknown }: DueDelivery,
  provider: MessageProvider,
  { unsendableReason: reason, hasArrived }: Unsendable,
): DeliveryEvent {
  if (!outcomeUnknown || provider.ask !== undefined) return failed(reason);
  return hasArrived ? { type: 'accepted' } : { type: 'unanswered', reason };
}

export const notSent: DeliveryEvent = { type: 'refused', retryable: true, reason: notSubmitted };

export const failed = (reason: Reason): DeliveryEvent => ({
  type: 'refused',
  retryable: false,
  state: 'failed',
  reason,
});
