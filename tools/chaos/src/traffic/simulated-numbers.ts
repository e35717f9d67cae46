/**
 * What becomes of messages and purchases to the special numbers of the simulators, by their last four digits. All other
 * numbers are reached at once. 0007 is not used, because it would not be final before the end of a run.
 */
export const smsStates = {
  '0002': 'rejected',
  '0003': 'delivered',
  '0004': 'undelivered',
  '0005': 'delivered',
  '0006': 'delivered',
} as const;

export const airtimeStates = { '0002': 'failed', '0005': 'success', '0006': 'failed' } as const;

const prefix = '+234700000';

export const specialNumber = (lastDigits: string): string => `${prefix}${lastDigits}`;

const stateOf = (states: Readonly<Record<string, string>>, recipient: string): string | undefined =>
  recipient.startsWith(prefix) ? states[recipient.slice(prefix.length)] : undefined;

export const expectedSmsState = (recipient: string): string => stateOf(smsStates, recipient) ?? 'delivered';

export const expectedAirtimeState = (recipient: string): string =>
  stateOf(airtimeStates, recipient) ?? 'success';

/** Whether the provider does not answer the submission of a purchase, so that it has to be queried. */
export const isQueried = (recipient: string): boolean =>
  [specialNumber('0005'), specialNumber('0006')].includes(recipient);
