import { postRequest } from '../load/exchange.js';

const content = 'Your order has left.';

/** Numbers for which the simulator has no script. */
export const listRecipients = (count: number): string =>
  Array.from({ length: count }, (_, index) => `0803${String(1_000_000 + index)}`).join(',');

export const smsBody = (recipients: number) => ({ recipients: listRecipients(recipients), content });

/** The raw HTTP request. */
export const smsRequest = (key: string, recipients: number): string =>
  postRequest('/sms/send', smsBody(recipients), { authorization: key });
