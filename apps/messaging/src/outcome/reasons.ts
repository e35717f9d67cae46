import type { Reason } from '../providers/message-provider.js';

export const dnd: Reason = { code: 'dnd', message: 'The recipient does not want such messages (DND)' };

/** The codes with which a message that a carrier accepted and could not deliver is refunded. Providers use them. */
const refundable: ReadonlySet<string> = new Set([dnd.code]);

export const isRefundable = (code: string | undefined): boolean => code !== undefined && refundable.has(code);

export const noAnswer: Reason = { code: 'no_answer', message: 'The provider did not answer' };
export const noProvider: Reason = {
  code: 'no_provider',
  message: 'No provider was available within the validity period',
};
export const noReport: Reason = {
  code: 'no_report',
  message: 'No delivery report arrived within the validity period',
};
export const unreadable: Reason = {
  code: 'unreadable',
  message: 'The text could not be prepared for the provider',
};
export const verified: Reason = {
  code: 'verified',
  message: 'The OTP was verified before it could be sent',
};
export const obsolete: Reason = {
  code: 'obsolete',
  message: 'The OTP had ended, or was about to expire, before it could be sent',
};
