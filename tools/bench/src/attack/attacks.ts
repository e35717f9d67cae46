import { createHmac } from 'node:crypto';
import { newApiKey } from '@gangan/database';
import {
  deepBody,
  fieldsBody,
  messageBody,
  plainBody,
  recipientsBody,
  spacesBody,
  webhookBody,
} from './requests/hostile-bodies.js';
import { type NumberAt, numberOfAnyCode, plainNumber, zeroNumber } from './requests/hostile-numbers.js';
import { misspeltPath, unknownPath } from './requests/hostile-paths.js';
import { type Access, get, getWithKey, headOf, type MakeRequest, postJson } from './requests/http-request.js';

/** Who sends the requests: a customer with a key, anyone without a valid one, or a provider. */
export type Sender = 'customer' | 'anyone' | 'provider';

/** Requests at a steady rate. */
export interface Flood {
  readonly kind: 'flood';
  readonly title: string;
  readonly by: Sender;
  /** Requests per second. */
  readonly amount: number;
  readonly hostile: MakeRequest;
  /** An ordinary request of the same size; for senders without a key, one that gets 401. A reference has none. */
  readonly plain?: MakeRequest;
  /** How many are sent when their cost is measured, if a worker handles them after the response. */
  readonly sample?: number;
}

/** Connections that are held open; a closed one is opened again. */
export interface Hold {
  readonly kind: 'hold';
  readonly title: string;
  /** Connections at a time. */
  readonly amount: number;
  /** What is sent at first, and then every second. */
  readonly send?: (access: Access) => { readonly first: string; readonly each: string };
  /** The average time until a closed connection is opened again. */
  readonly retryMs: number;
}

/** Rows of the database that workers have to handle. */
export interface Rows {
  readonly kind: 'rows';
  readonly title: string;
  readonly amount: number;
}

export type Attack = Flood | Hold | Rows;

/** How many times the processor time of a plain request a hostile one may take. */
export const maxCostRatio: Readonly<Record<Sender, number>> = { customer: 5, provider: 5, anyone: 3 };

const webhookBytes = 3 * 1024 * 1024;
/** The last bytes of a webhook arrive one by one, so that all of them are in progress at the same time. */
const slowBytes = 5;

const flood = { kind: 'flood' } as const;

/** As many requests as an organisation may send. */
const customer = (title: string, hostile: MakeRequest, plain?: MakeRequest): Flood => ({
  ...flood,
  by: 'customer',
  title,
  amount: 100,
  hostile,
  ...(plain && { plain }),
});

const anyone = (title: string, hostile: MakeRequest, amount = 200): Flood => ({
  ...flood,
  by: 'anyone',
  title,
  amount,
  hostile,
  plain: get('/balance'),
});

const estimate = (body: string | ((index: number) => string)): MakeRequest => postJson('/sms/estimate', body);
const send = (body: string | ((index: number) => string)): MakeRequest => postJson('/sms/send', body);
const ordinaryEstimate = estimate(recipientsBody(plainNumber));
/** An estimate with a body of the same size. */
const sizedAs = (body: string): MakeRequest => estimate(plainBody(body.length));

const unknownFields = (count: number): Flood => {
  const body = fieldsBody(count);
  return customer(`${count.toLocaleString('en')} unknown fields`, estimate(body), sizedAs(body(0)));
};

const numbers = (title: string, numberAt: NumberAt): Flood =>
  customer(title, estimate(recipientsBody(numberAt)), ordinaryEstimate);

const webhook =
  (numberAt: NumberAt): MakeRequest =>
  ({ webhook: { path, secret } }, index) => {
    const body = webhookBody(numberAt)(index);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return { method: 'POST', path, headers, body };
  };

/** The first three are no attacks: they show what a paying customer causes at the same rate. */
export const attacks = {
  'small-estimates': customer('estimates for one number', estimate(messageBody)),
  'ordinary-estimates': customer('estimates for 1,000 numbers', ordinaryEstimate),
  'ordinary-sends': customer('ordinary sends', send(messageBody)),
  spaces: customer('1 MiB of spaces', send(spacesBody), sizedAs(spacesBody)),
  'deep-json': customer('JSON 100,000 deep', send(deepBody), sizedAs(deepBody)),
  'field-names': unknownFields(1_400),
  'allowed-names': unknownFields(140),
  'zero-numbers': numbers('1,000 numbers +1 0xx', zeroNumber),
  'all-codes': numbers('1,000 numbers, all codes', numberOfAnyCode),
  'webhook-numbers': {
    ...flood,
    by: 'provider',
    title: 'webhooks +1 0xx',
    amount: 10,
    hostile: webhook(zeroNumber),
    plain: webhook(plainNumber),
    sample: 10,
  },
  'misspelt-paths': customer(
    'misspelt paths, key',
    getWithKey(misspeltPath),
    getWithKey((index) => `/lookup/phone?phone=${encodeURIComponent(plainNumber(index))}`),
  ),
  'unknown-paths': anyone('unknown paths', get(unknownPath)),
  'near-paths': anyone('misspelt paths', get(misspeltPath)),
  'unknown-keys': anyone('unknown keys', () => ({
    method: 'GET',
    path: '/balance',
    headers: { authorization: newApiKey('live').key },
  })),
  documents: anyone('large documents', get('/docs/reference.js', { 'accept-encoding': 'identity' }), 20),
  'slow-uploads': {
    kind: 'hold',
    title: 'slow uploads',
    amount: 5_000,
    retryMs: 10_000,
    send: ({ key }) => ({
      first: `${headOf('POST /lists/contact/imports', {
        authorization: key,
        'content-type': 'text/csv',
        'transfer-encoding': 'chunked',
      })}5\r\nName\n\r\n`,
      each: '1\r\nN\r\n',
    }),
  },
  'idle-connections': { kind: 'hold', title: 'idle connections', amount: 5_000, retryMs: 1_000 },
  'large-webhooks': {
    kind: 'hold',
    title: '3 MiB webhooks',
    amount: 200,
    retryMs: 1_000,
    send: ({ webhook: { path } }) => ({
      first:
        headOf(`POST ${path}`, {
          'content-type': 'application/json',
          'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
          'content-length': String(webhookBytes),
        }) + ' '.repeat(webhookBytes - slowBytes),
      each: ' ',
    }),
  },
  'dead-hosts': { kind: 'rows', title: 'dead callback hosts', amount: 100_000 },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;

export const attackNames = Object.keys(attacks) as AttackName[];

export const attackOf = (name: AttackName): Attack => attacks[name];

/** Whether it only shows what other customers cause. */
export const isReference = (attack: Attack): boolean => attack.kind === 'flood' && !attack.plain;
