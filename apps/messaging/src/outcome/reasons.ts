import { reasonOf } from '../providers/http-message-provider.js';
import type { Reason } from '../providers/message-provider.js';

const reason = (code: string, message: string): Reason => ({ code, message });

export const dnd = reason('dnd', 'The recipient is on the do-not-disturb (DND) list');
export const optedOut = reason('opted_out', 'The recipient has opted out of promotional messages');
export const windowClosed = reasonOf('failed', 'window_closed');
export const noAnswer = reason('no_answer', 'The provider did not answer');
export const noProvider = reason('no_provider', 'No provider was available within the validity period');
export const noReport = reason('no_report', 'No delivery report arrived within the validity period');
export const notSubmitted = reason('not_submitted', 'The message could not be submitted in time');
export const suspended = reason(
  'suspended',
  'The organisation was suspended, and the validity period ended meanwhile',
);
export const unaffordable = reason(
  'unaffordable',
  'The smartlist has grown, and the balance or a daily limit did not cover this recipient',
);
export const unreadable = reason('unreadable', 'The text could not be prepared for the provider');
export const verified = reason('verified', 'The OTP was verified before it could be sent');
export const obsolete = reason(
  'obsolete',
  'The OTP had ended, or was about to expire, before it could be sent',
);

/** Customers see the code from the settings of the provider, and a fixed text. */
export function reportReason(state: string, code: string): Reason {
  if (code === dnd.code) return dnd;
  return state === 'expired'
    ? reason(code, 'The carrier could not deliver the message within its validity period')
    : reason(code, 'The carrier could not deliver the message');
}

/** Undelivered messages with one of these codes are refunded. Providers map the codes of their carriers to them. */
const refundable: ReadonlySet<string> = new Set([dnd.code, windowClosed.code, 'provider_unavailable']);

export const isRefundable = (code: string | undefined): boolean => code !== undefined && refundable.has(code);
