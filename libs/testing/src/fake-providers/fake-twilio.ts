import { createHmac } from 'node:crypto';
import type { FakeScript } from './fake-provider.js';
import { basicOf, type FakeMessage, type FakeRefusal } from './fake-message.js';

/**
 * Answers as https://www.twilio.com/docs/messaging/api/message-resource and /docs/usage/twilios-response say, and reports as
 * /docs/messaging/guides/track-outbound-message-status and /docs/usage/security say. The state of a message may have an error
 * code after a space, or be `overloaded`.
 */
export const fakeTwilio = (accountSid: string, authToken: string): FakeScript<FakeMessage, FakeRefusal> => ({
  path: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
  credit: ({ path, headers }) =>
    path === `/2010-04-01/Accounts/${accountSid}/Balance.json` &&
    headers.authorization === basicOf(accountSid, authToken)
      ? { status: 200, body: { account_sid: accountSid, balance: '-3.14159', currency: 'USD' } }
      : undefined,
  poll: ({ path = '', headers }, stateOf) => {
    const sid = /\/Messages\/SM(\d{32})\.json$/.exec(path)?.[1];
    if (sid === undefined) return undefined;
    if (headers.authorization !== basicOf(accountSid, authToken))
      return { status: 401, body: errorOf(401, '20003') };
    const [status, code] = stateOf(Number(sid))?.split(' ') ?? [];
    if (status === 'overloaded')
      return { status: 429, headers: { 'retry-after': '60' }, body: errorOf(429, '20429') };
    return status === undefined
      ? { status: 404, body: errorOf(404, '20404') }
      : {
          status: 200,
          body: { sid: `SM${sid}`, status, error_code: code === undefined ? null : Number(code) },
        };
  },
  read: ({ body, headers }) => {
    const { To = '', From = '', Body = '', StatusCallback } = Object.fromEntries(new URLSearchParams(body));
    return headers.authorization === basicOf(accountSid, authToken)
      ? [
          {
            to: To,
            from: From,
            text: Body,
            ...(StatusCallback !== undefined && { reportUrl: StatusCallback }),
          },
        ]
      : { status: 401, body: errorOf(401, '20003') };
  },
  check: ({ to, text }) => {
    if (!/^\+\d{8,15}$/.test(to)) return { code: '21211' };
    return text.length > 1_600 ? { code: '21617' } : undefined;
  },
  answer: ([result]) => {
    const { status = 400, code } = result?.refusal ?? { code: '' };
    if (result?.refusal) return { status, body: errorOf(status, code) };
    return {
      status: 201,
      body: {
        sid: sidOf(result?.number),
        status: 'queued',
        error_code: null,
        error_message: null,
        num_segments: '1',
      },
    };
  },
  report: ({ message: { to, from, reportUrl: url = '' }, number }, status) => {
    const fields = { MessageSid: sidOf(number), MessageStatus: status, To: to, From: from };
    const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const signed = url + sorted.flat().join('');
    return {
      url,
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-twilio-signature': createHmac('sha1', authToken).update(signed).digest('base64'),
      },
      body: new URLSearchParams(fields).toString(),
    };
  },
});

const sidOf = (number = 0): string => `SM${String(number).padStart(32, '0')}`;

const errorOf = (status: number, code: string): object => ({
  code: Number(code),
  message: `Error ${code}`,
  status,
  more_info: `https://www.twilio.com/docs/errors/${code}`,
});
