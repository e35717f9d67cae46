import { createHmac } from 'node:crypto';
import type { FakeScript } from './fake-provider.js';
import { basicOf, type FakeMessage, type FakeRefusal } from './fake-message.js';

interface PlivoMessage {
  readonly src: string;
  readonly dst: string;
  readonly text: string;
  readonly url: string;
  readonly method: string;
}

/**
 * Answers as https://www.plivo.com/docs/messaging/api/messages and /docs/messaging/api/response say, and reports as
 * /docs/messaging/api/message/message-status-callbacks says, with the signature of version 3 of Plivo's SDKs. The code of a
 * refusal is its text. The state of a message may have an error code after a space.
 */
export const fakePlivo = (authId: string, authToken: string): FakeScript<FakeMessage, FakeRefusal> => {
  const isAllowed = (headers: { readonly authorization?: string | undefined }): boolean =>
    headers.authorization === basicOf(authId, authToken);
  return {
    path: `/v1/Account/${authId}/Message/`,
    credit: ({ path, headers }) =>
      path === `/v1/Account/${authId}/` && isAllowed(headers)
        ? { status: 200, body: { auth_id: authId, billing_mode: 'prepaid', cash_credits: '1.80900' } }
        : undefined,
    poll: ({ path = '', headers }, stateOf) => {
      const uuid = /\/Message\/([^/]+)\/$/.exec(path)?.[1];
      if (uuid === undefined) return undefined;
      if (!isAllowed(headers)) return { status: 401, body: errorOf('authentication_failed') };
      const [state, code = '000'] = stateOf(Number(uuid.slice(-12)))?.split(' ') ?? [];
      return state === undefined
        ? { status: 404, body: errorOf('not found') }
        : { status: 200, body: { message_uuid: uuid, message_state: state, error_code: code } };
    },
    read: ({ body, headers }) => {
      if (!isAllowed(headers)) return { status: 401, body: errorOf('authentication_failed') };
      const { src, dst, text, url, method } = JSON.parse(body || '{}') as PlivoMessage;
      return method === 'POST'
        ? [{ to: dst, from: src, text, reportUrl: url }]
        : { status: 400, body: errorOf('invalid_parameter') };
    },
    check: ({ to }) => (/^\d{8,15}$/.test(to) ? undefined : { status: 400, code: 'dst is invalid' }),
    answer: ([result]) => {
      if (result?.refusal) {
        const { status = 400, code } = result.refusal;
        return { status, body: errorOf(code) };
      }
      return {
        status: 202,
        body: { api_id: apiId, message: 'message(s) queued', message_uuid: [uuidOf(result?.number)] },
      };
    },
    report: ({ message: { to, from, reportUrl: url = '' }, number }, status) => {
      const [state = '', code] = status.split(' ');
      const fields = {
        MessageUUID: uuidOf(number),
        Status: state,
        To: to,
        From: from,
        Type: 'sms',
        ...(code !== undefined && { ErrorCode: code }),
      };
      const sorted = Object.entries(fields).toSorted(([one], [other]) => (one < other ? -1 : 1));
      const nonce = '05429567804466091622';
      const signed = `${url}?${sorted.flat().join('')}.${nonce}`;
      return {
        url,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-plivo-signature-v3-nonce': nonce,
          'x-plivo-signature-ma-v3': createHmac('sha256', authToken).update(signed).digest('base64'),
        },
        body: new URLSearchParams(fields).toString(),
      };
    },
  };
};

const apiId = 'db342550-7f1d-11e1-8ea7-1231380bc196';

const uuidOf = (number = 0): string => `b48d95dc-e3ac-11eb-a9c2-${String(number).padStart(12, '0')}`;

const errorOf = (error: string): object => ({ api_id: apiId, error });
