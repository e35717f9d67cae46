import type { FakeScript } from './fake-provider.js';
import { basicOf, type FakeMessage, type FakeRefusal } from './fake-message.js';

/** Answers as https://www.twilio.com/docs/messaging/api/message-resource and /docs/usage/twilios-response say. */
export const fakeTwilio = (accountSid: string, authToken: string): FakeScript<FakeMessage, FakeRefusal> => ({
  path: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
  credit: ({ path, headers }) =>
    path === `/2010-04-01/Accounts/${accountSid}/Balance.json` &&
    headers.authorization === basicOf(accountSid, authToken)
      ? { status: 200, body: { account_sid: accountSid, balance: '-3.14159', currency: 'USD' } }
      : undefined,
  read: ({ body, headers }) => {
    const { To = '', From = '', Body = '' } = Object.fromEntries(new URLSearchParams(body));
    return headers.authorization === basicOf(accountSid, authToken)
      ? [{ to: To, from: From, text: Body }]
      : { status: 401, body: errorOf(401, '20003') };
  },
  check: ({ to, text }) => {
    if (!/^\+\d{8,15}$/.test(to)) return { code: '21211' };
    return text.length > 1_600 ? { code: '21617' } : undefined;
  },
  answer: ([result]) => {
    const { status = 400, code } = result?.refusal ?? { code: '' };
    if (result?.refusal) return { status, body: errorOf(status, code) };
    const sid = `SM${String(result?.number).padStart(32, '0')}`;
    return {
      status: 201,
      body: { sid, status: 'queued', error_code: null, error_message: null, num_segments: '1' },
    };
  },
});

const errorOf = (status: number, code: string): object => ({
  code: Number(code),
  message: `Error ${code}`,
  status,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
});
