import { postRequest } from '../load/exchange.js';

const content = 'Your order has left.';

/** So many numbers, none of which the simulator has a script for. */
export const recipientsOf = (count: number): string =>
  Array.from({ length: count }, (_, place) => `0803${String(1_000_000 + place)}`).join(',');

export const smsBody = (recipients: number) => ({ recipients: recipientsOf(recipients), content });

/** As it goes over the line. */
export const smsRequest = (key: string, recipients: number): string =>
  postRequest('/sms/send', smsBody(recipients), { authorization: key });
