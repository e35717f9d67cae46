import { notSubmitted, verified } from '../outcome/reasons.js';
import type { DeliveryEvent } from '../outcome/transition.js';
import type { AskResult, MessageProvider, Reason, SubmitResult } from '../providers/message-provider.js';
import type { ClaimedDelivery, DueDelivery } from './claims.repository.js';

/** A delivery, and what happened to it. */
export type SubmitEvent = readonly [DueDelivery, DeliveryEvent];

/** None if there is no result, or if the provider never accepted the delivery. */
export function eventsOf(delivery: ClaimedDelivery, result: AskResult | undefined): SubmitEvent[] {
  return result === undefined || result.kind === 'not_found'
    ? []
    : [[delivery, eventOf(result, delivery.provider)]];
}

function eventOf(result: SubmitResult, provider: string): DeliveryEvent {
  switch (result.kind) {
    case 'accepted': {
      const { providerReference, furtherReferences = [], cost } = result;
      return { type: 'accepted', provider, providerReference, furtherReferences, cost };
    }
    case 'rejected':
    case 'failed':
      return { type: 'refused', retryable: false, state: result.kind, reason: result.reason };
    case 'transient':
      return {
        type: 'refused',
        retryable: true,
        reason: result.reason,
        ...(result.cause === 'refused' && { onlyElsewhere: true }),
        ...(result.cause && result.cause !== 'refused' && { keepTrying: true }),
        ...(result.retryInMs !== undefined && { retryInMs: result.retryInMs }),
      };
    case 'unknown':
      return { type: 'unanswered', reason: result.reason };
  }
}

/** A verified OTP was delivered. If a provider may have accepted an earlier attempt, the delivery waits for a report. */
export function withoutBody(
  { outcomeUnknown }: DueDelivery,
  provider: MessageProvider,
  reason: Reason,
): DeliveryEvent {
  if (outcomeUnknown && reason === verified) return { type: 'accepted' };
  return outcomeUnknown && provider.ask === undefined ? { type: 'unanswered', reason } : failed(reason);
}

export const notSent: DeliveryEvent = { type: 'refused', retryable: true, reason: notSubmitted };

export const failed = (reason: Reason): DeliveryEvent => ({
  type: 'refused',
  retryable: false,
  state: 'failed',
  reason,
});
