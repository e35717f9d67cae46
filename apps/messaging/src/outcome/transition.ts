import type { Reason } from '@gangan/contracts';
import type { DeliveryState } from '@gangan/database';
import type { Cost, ReportedCost } from '@gangan/providers';
import type { SubmitResult } from '../providers/message-provider.js';
import { isRefundable, noAnswer, noProvider, noReport, notSubmitted, suspended } from './reasons.js';
import {
  isLastAttempt,
  keepTryingDelay,
  quietDelay,
  remainingMs,
  retryDelay,
  roundDelay,
  unroutableDelay,
  waitingDelay,
} from './retry/retry-delays.js';
import type { RetryPolicy } from './retry/retry-policy.js';

/** The progress of a state: 0 waits for a provider, 1 was accepted, 2 is final (but a delivered one can be read). The rank of a delivery never decreases. */
export const rank: Readonly<Record<DeliveryState, 0 | 1 | 2>> = {
  queued: 0,
  submitting: 0,
  sent: 1,
  delivered: 2,
  read: 2,
  undelivered: 2,
  expired: 2,
  rejected: 2,
  failed: 2,
  canceled: 2,
};

/** What a transition depends on. */
export interface DeliverySnapshot {
  readonly state: DeliveryState;
  readonly attempt: number;
  /** The time since it could be sent: since the charge, or since its scheduled time. */
  readonly ageMs: number;
  /** An earlier attempt has no known outcome: a provider may have accepted it. */
  readonly outcomeUnknown: boolean;
  /** Another provider than the one of the last attempt may have accepted it. */
  readonly unansweredElsewhere: boolean;
  /** The provider of the last attempt may have accepted an earlier one. Known only after a claim. */
  readonly unansweredHere?: boolean;
  /** The time until providers that refused it in their quiet hours take it; null if there are none. */
  readonly quietMs: number | null;
}

/** Everything that can happen to a delivery. */
export type DeliveryEvent =
  | {
      readonly type: 'accepted'; // a provider took it
      readonly providerReference?: string | undefined;
      /** The provider that took it; absent if no reference is to be stored. */
      readonly provider?: string;
      /** Set if this is not the provider of the last attempt, about which the event says nothing. */
      readonly isEarlier?: boolean;
      readonly furtherReferences?: readonly string[];
      readonly cost?: Cost | undefined;
    }
  | {
      readonly type: 'refused'; // a provider did not take it now
      readonly reason: Reason;
      readonly retryable: true;
      /** The provider will not take it later either: it is final if the route has no other one. */
      readonly onlyElsewhere?: boolean;
      /** The provider takes no messages at the moment: its attempts do not end the delivery. */
      readonly keepTrying?: boolean;
      /** The time until the quiet hours of the provider end: then it may take it. */
      readonly quietMs?: number;
      /** When the provider may take this delivery. Older ones wait longer: many may have the same recipient. */
      readonly retryInMs?: number;
    }
  | {
      readonly type: 'refused';
      readonly reason: Reason;
      readonly retryable: false;
      readonly state: 'rejected' | 'failed';
    }
  | { readonly type: 'unanswered'; readonly reason?: Reason | undefined } // the outcome of an attempt is unknown
  | { readonly type: 'blocked'; readonly reason: Reason } // the recipient is on the DND list, or has opted out
  // No provider is configured for it, or none of its providers is available now.
  | { readonly type: 'unroutable'; readonly retryInMs?: number }
  | { readonly type: 'quiet'; readonly quietMs: number } // all available providers are in their quiet hours
  | { readonly type: 'canceled' } // the organisation canceled its message
  | { readonly type: 'paused' } // the organisation paused its message
  | { readonly type: 'lapsed' } // its organisation was suspended until its validity period, or its OTP, ended
  | { readonly type: 'exhausted' } // no attempt is left, and its provider cannot be asked
  | { readonly type: 'abandoned' } // too many workers died while they held it
  | { readonly type: 'refunded' } // an operator refunds it
  | {
      readonly type: 'reported';
      readonly state: ReportedState;
      readonly reason?: Reason | undefined;
      /** The attempt that the report is about, and what the report says about its cost. */
      readonly attempt?: number;
      readonly cost?: ReportedCost | undefined;
    }
  | { readonly type: 'expired' }; // no report arrived within the validity period

export type ReportedState = 'delivered' | 'read' | 'undelivered' | 'expired';

export interface Change {
  readonly state: DeliveryState;
  /** The time until the next attempt, or until it expires; absent in a final state. */
  readonly delayMs?: number;
  /** The part of the delay that does not count towards the validity period. */
  readonly heldMs?: number;
  /** The time until the quiet hours of the provider of the attempt end. */
  readonly quietMs?: number;
  /** Whether the charge goes back to the wallet. */
  readonly refund: boolean;
  /** Whether the organisation gets a callback: a provider has accepted it, or it is final. */
  readonly notify: boolean;
  /** The outcome of the attempt, if the event ends one. */
  readonly outcome?: SubmitResult['kind'];
  readonly providerReference?: string | undefined;
  /** What the provider calls the parts of the message. */
  readonly references?: { readonly provider: string; readonly names: readonly string[] };
  /** When the provider is asked by these references what became of the message; absent if it is not. */
  readonly pollAfterMs?: number | undefined;
  /** What the provider charges for the attempt, if that is known; `null` if a report shows that it is not. */
  readonly cost?: ReportedCost | undefined;
  /** The attempt whose cost was reported. */
  readonly reportedAttempt?: number | undefined;
  readonly reason?: Reason | undefined;
  /** The provider of the attempt never gets the delivery again. */
  readonly refusedForGood?: true;
  /** The delivery stays open, but no provider gets it again: the text of an OTP is deleted. */
  readonly neverSubmittedAgain?: true;
}

/** A change, and the delivery in the state that it was decided for. */
export interface Transition {
  readonly delivery: {
    readonly id: string;
    readonly organisationId: string;
    readonly attempt: number;
    readonly state: DeliveryState;
  };
  readonly change: Change;
  /** The route of the attempt that it ends. */
  readonly routeId: string | null;
}

/** Decides the next state. Pure: no clock, no database. Returns undefined if the event changes nothing. */
export function transition(
  delivery: DeliverySnapshot,
  event: DeliveryEvent,
  policy: RetryPolicy,
): Change | undefined {
  switch (delivery.state) {
    case 'queued':
      return fromQueued(delivery, event, policy);
    case 'submitting':
      return fromSubmitting(delivery, event, policy);
    case 'sent':
      return fromSent(delivery, event);
    case 'delivered':
      return event.type === 'reported' && event.state === 'read' ? reported(event) : undefined;
    case 'read':
    case 'undelivered':
    case 'expired':
    case 'rejected':
    case 'failed':
    case 'canceled':
      return undefined;
  }
}

/** No provider has the delivery. Only a claim makes it `submitting`. */
const fromQueued: typeof transition = (delivery, event, policy) => {
  if (event.type === 'blocked') return final('rejected', event.reason);
  if (event.type === 'lapsed') return final('failed', suspended);
  if (event.type === 'canceled') return canceled;
  if (event.type !== 'unroutable' && event.type !== 'quiet') return undefined;
  if (remainingMs(delivery, policy) === 0) return final('failed', noProvider);
  return event.type === 'quiet'
    ? held('queued', event.quietMs)
    : open('queued', unroutableDelay(delivery, policy, event.retryInMs));
};

/** A provider is being called, or a call ended without a known outcome. */
const fromSubmitting: typeof transition = (delivery, event, policy) => {
  const mayHaveBeenAccepted = delivery.unansweredElsewhere || (delivery.outcomeUnknown && !policy.canAsk);
  switch (event.type) {
    case 'accepted': {
      const { provider, isEarlier, providerReference, furtherReferences = [] } = event;
      const names = providerReference === undefined ? [] : [providerReference, ...furtherReferences];
      return {
        state: 'sent',
        delayMs: policy.validityMs,
        refund: false,
        notify: true,
        ...(!isEarlier && { outcome: 'accepted', providerReference }),
        ...(provider !== undefined &&
          names.length > 0 && { references: { provider, names }, pollAfterMs: policy.pollAfterMs }),
        cost: event.cost,
      };
    }
    case 'refused': {
      const { reason } = event;
      if (!event.retryable) {
        // What one provider says about the message applies to that provider only.
        const change = delivery.unansweredElsewhere
          ? awaitReport(delivery, policy)
          : final(event.state, reason);
        return { ...change, outcome: event.state, reason: change.reason ?? reason };
      }
      // This attempt was refused, but the provider may have accepted an earlier one: no other provider may get it.
      const isOnlyElsewhere = delivery.unansweredElsewhere && delivery.unansweredHere === false;
      if (mayHaveBeenAccepted && !isOnlyElsewhere) {
        const isOver = delivery.unansweredElsewhere && event.onlyElsewhere;
        const change = isOver
          ? awaitReport(delivery, policy)
          : awaitAnswer(delivery, policy, quietDelay(delivery, policy, event.quietMs));
        return {
          ...change,
          outcome: 'transient',
          reason: change.reason ?? reason,
          ...(isOver && { refusedForGood: true }),
        };
      }
      return afterRefusal(delivery, event, policy);
    }
    case 'unanswered': {
      const change = withoutAnswer(delivery, policy);
      const { reason = event.reason ?? noAnswer } = change;
      return { ...change, outcome: 'unknown', reason };
    }
    case 'blocked':
      return mayHaveBeenAccepted
        ? awaitReport(delivery, policy)
        : { ...final('rejected', event.reason), outcome: 'rejected' };
    case 'canceled':
      return mayHaveBeenAccepted ? awaitReport(delivery, policy) : { ...canceled, outcome: 'failed' };
    case 'paused':
      return mayHaveBeenAccepted
        ? openOrExpired(delivery, policy, unroutableDelay(delivery, policy))
        : { ...open('queued', 0), outcome: 'transient', reason: notSubmitted };
    case 'lapsed':
    case 'exhausted':
      return awaitReport(delivery, policy);
    case 'abandoned':
      return { ...awaitReport(delivery, policy), outcome: 'unknown', reason: noAnswer };
    case 'refunded':
      return final('failed', noAnswer);
    case 'unroutable':
      return openOrExpired(delivery, policy, unroutableDelay(delivery, policy, event.retryInMs));
    case 'quiet':
      return held('submitting', event.quietMs);
    case 'reported':
    case 'expired':
      return undefined;
  }
};

/**
 * The next provider gets the delivery, or the same one later. If all others are used up, it waits for the end of quiet
 * hours. A delivery that an earlier provider may have is neither queued nor failed.
 */
function afterRefusal(
  delivery: DeliverySnapshot,
  event: Extract<DeliveryEvent, { readonly retryable: true }>,
  policy: RetryPolicy,
): Change {
  const { reason, onlyElsewhere, quietMs } = event;
  const isUnsure = delivery.unansweredElsewhere;
  const state = isUnsure ? 'submitting' : 'queued';
  const last = isUnsure ? awaitReport(delivery, policy) : final('failed', reason);
  const quietFor = quietDelay(delivery, policy, quietMs);
  const needsOther = onlyElsewhere === true || quietMs !== undefined;
  const isOver = needsOther && !policy.hasOtherProvider;
  if (isOver && quietFor === undefined && !isUnsure) return { ...last, outcome: 'failed' };
  const delayMs = isOver
    ? undefined
    : (waitingDelay(delivery, policy, event.retryInMs) ?? retryDelay(delivery, policy));
  const laterMs = delayMs ?? (event.keepTrying ? keepTryingDelay(delivery, policy) : undefined);
  const next = laterMs === undefined ? last : open(state, laterMs);
  return {
    ...(delayMs === undefined && quietFor !== undefined ? held(state, quietFor) : next),
    outcome: 'transient',
    reason: next.reason ?? reason,
    ...(onlyElsewhere && { refusedForGood: true }),
    ...(quietMs !== undefined && { quietMs }),
  };
}

/** A carrier has the delivery: only a report, or the end of the validity period, changes it. */
function fromSent(delivery: DeliverySnapshot, event: DeliveryEvent): Change | undefined {
  if (event.type === 'expired') return final('expired', noReport);
  if (event.type !== 'reported') return undefined;
  const change = reported(event);
  // Another provider may have delivered it: an operator decides about the refund.
  return delivery.unansweredElsewhere ? { ...change, refund: false } : change;
}

/** The provider may have accepted the delivery. Its settings say which provider gets it next. */
function withoutAnswer(delivery: DeliverySnapshot, policy: RetryPolicy): Change {
  if (policy.ifUnanswered === 'wait') return awaitReport(delivery, policy);
  const hasNext = policy.hasNextProvider && !isLastAttempt(delivery.attempt, policy);
  if (policy.ifUnanswered === 'next' && hasNext) return open('submitting', 0);
  return awaitAnswer(delivery, policy);
}

/** The provider may have accepted it, so it is never submitted again. It expires if no report arrives. */
const awaitReport = (delivery: DeliverySnapshot, policy: RetryPolicy): Change => ({
  ...openOrExpired(delivery, policy),
  neverSubmittedAgain: true,
});

/** The provider may have accepted it. It stays open until its validity period ends. */
function openOrExpired(delivery: DeliverySnapshot, policy: RetryPolicy, maxDelayMs = Infinity): Change {
  const leftMs = remainingMs(delivery, policy);
  return leftMs === 0 ? final('expired', noAnswer) : open('submitting', Math.min(leftMs, maxDelayMs));
}

/**
 * Waits until the same provider is asked or called again; after the last attempt, until it is asked again or the
 * delivery expires.
 * @param quietMs until the quiet hours of the provider end
 */
function awaitAnswer(delivery: DeliverySnapshot, policy: RetryPolicy, quietMs?: number): Change {
  const delayMs = roundDelay(delivery.attempt, policy);
  if (delayMs !== undefined && quietMs !== undefined) return held('submitting', quietMs);
  if (delayMs !== undefined) return open('submitting', delayMs);
  const leftMs = remainingMs(delivery, policy);
  const lastMs = policy.canAsk ? Math.min(leftMs, policy.askIntervalMs) : leftMs;
  return { ...open('submitting', lastMs), neverSubmittedAgain: true };
}

const open = (state: 'queued' | 'submitting', delayMs: number): Change => ({
  state,
  delayMs,
  refund: false,
  notify: false,
});

/** The delivery waits for the end of quiet hours, which does not count towards its validity period. */
const held = (state: 'queued' | 'submitting', delayMs: number): Change => ({
  ...open(state, delayMs),
  heldMs: delayMs,
});

/** The organisation gets one callback for its message, not one for each delivery. */
const canceled: Change = { state: 'canceled', refund: true, notify: false };

/** A report ends the delivery. A cost that it does not state stays as it was stored with the attempt. */
const reported = ({
  state,
  reason,
  attempt,
  cost,
}: Extract<DeliveryEvent, { type: 'reported' }>): Change => ({
  ...final(state, reason),
  ...(cost !== undefined && { cost, reportedAttempt: attempt }),
});

/** Refunds deliveries that no carrier accepted, and those that a carrier could not deliver for a refundable reason. */
const final = (state: 'rejected' | 'failed' | ReportedState, reason: Reason | undefined): Change => ({
  state,
  reason,
  notify: true,
  refund:
    state === 'rejected' || state === 'failed' || (state === 'undelivered' && isRefundable(reason?.code)),
});
