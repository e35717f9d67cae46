import { refundableCodes } from '@gangan/database';
import { deliveryReason, type DeliveryReasonCode, type Reason } from '@gangan/contracts';

const reason = (code: DeliveryReasonCode): Reason => deliveryReason(code);

export const dnd = reason('dnd');
export const optedOut = reason('opted_out');
export const windowClosed = reason('window_closed');
export const noAnswer = reason('no_answer');
export const countryNotAllowed = reason('country_not_allowed');
export const noPrice = reason('no_price');
export const noProvider = reason('no_provider');
export const noReport = reason('no_report');
export const notSubmitted = reason('not_submitted');
export const suspended = reason('suspended');
export const unaffordable = reason('unaffordable');
export const unreadable = reason('unreadable');
export const verified = reason('verified');
export const obsolete = reason('obsolete');

/** Customers see the code from the settings of the provider, and a fixed text. */
export const reportReason = (state: string, code: string): Reason =>
  deliveryReason(
    code,
    state === 'expired'
      ? 'The carrier could not deliver the message within its validity period'
      : 'The carrier could not deliver the message',
  );

const refundable: ReadonlySet<string> = new Set(refundableCodes satisfies readonly DeliveryReasonCode[]);

export const isRefundable = (code: string | undefined): boolean => code !== undefined && refundable.has(code);
