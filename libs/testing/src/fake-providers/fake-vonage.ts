import type { FakeScript } from './fake-provider.js';
import { basicOf, type FakeMessage, type FakeRefusal } from './fake-message.js';

/** Answers as https://developer.vonage.com/en/api/sms says: errors have the status 200, too. */
export const fakeVonage = (apiKey: string, apiSecret: string): FakeScript<FakeMessage, FakeRefusal> => ({
  path: '/sms/json',
  credit: ({ path, headers }) =>
    path === '/account/get-balance' && headers.authorization === basicOf(apiKey, apiSecret)
      ? { status: 200, body: { value: 10.28, autoReload: false } }
      : undefined,
  read: ({ body, headers }) => {
    const { to = '', from = '', text = '', ...form } = Object.fromEntries(new URLSearchParams(body));
    const message = { to, from, text, type: form['type'] ?? '', reference: form['client-ref'] ?? '' };
    return headers.authorization === basicOf(apiKey, apiSecret)
      ? [message]
      : { status: 200, body: errorOf('4') };
  },
  check: ({ to, from, text, type = '' }) => {
    if (to === '' || from === '' || text === '') return { code: '2' };
    return /^\d{7,15}$/.test(to) && ['text', 'unicode'].includes(type) ? undefined : { code: '3' };
  },
  answer: ([result]) => {
    const { message, number, refusal } = result ?? {};
    if (refusal) return { status: refusal.status ?? 200, body: errorOf(refusal.code) };
    const balance = { 'remaining-balance': '3.14159265', 'message-price': '0.03330000', network: '62120' };
    const count = Math.ceil((message?.text.length ?? 0) / 153);
    const parts = Array.from({ length: count }, (_, index) => ({
      to: message?.to,
      'message-id': `0A${number}000${index}`,
      status: '0',
      ...balance,
      'client-ref': message?.reference,
    }));
    return { status: 200, body: { 'message-count': String(count), messages: parts } };
  },
});

const errorOf = (status: string): object => ({
  'message-count': '1',
  messages: [{ status, 'error-text': `Error ${status}` }],
});
