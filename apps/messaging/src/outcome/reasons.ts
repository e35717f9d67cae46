import type { Reason } from '../providers/message-provider.js';

export const dnd: Reason = { code: 'dnd', message: 'The recipient does not want such messages (DND)' };

/** Why a message that a carrier took, and could not deliver, is given back all the same. Providers use these codes. */
const refundable: ReadonlySet<string> = new Set([dnd.code]);

export const isRefundable = (code: string | undefined): boolean => code !== undefined && refundable.has(code);

export const noAnswer: Reason = { code: 'no_answer', message: 'The provider did not answer' };
export const noProvider: Reason = {
  code: 'no_provider',
  message: 'No provider was there for it within the validity period',
};
export const noReport: Reason = {
  code: 'no_report',
  message: 'No report came within the validity period',
};
export const unreadable: Reason = {
  code: 'unreadable',
  message: 'The text could not be prepared for the provider',
};
/** Whoever verified it had it. */
export const verified: Reason = {
  code: 'verified',
  message: 'The OTP was verified before it could be sent',
};
export const obsolete: Reason = {
  code: 'obsolete',
  message: 'The OTP had ended, or was about to expire, before it could be sent',
};
