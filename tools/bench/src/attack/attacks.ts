import { createHmac } from 'node:crypto';
import { newApiKey } from '@gangan/database';
import {
  deepBody,
  fieldsBody,
  plainBody,
  recipientsBody,
  spacesBody,
  webhookBody,
} from './requests/hostile-bodies.js';
import { numberOfAnyCode, plainNumber, zeroNumber } from './requests/hostile-numbers.js';
import { misspeltPath, unknownPath } from './requests/hostile-paths.js';
import { type Access, get, getWithKey, headOf, type MakeRequest, postJson } from './requests/http-request.js';

/** Who sends the requests: a customer with a key, anyone without a valid one, or a provider. */
export type Sender = 'customer' | 'anyone' | 'provider';

/** Requests at a steady rate. */
export interface Flood {
  readonly kind: 'flood';
  readonly title: string;
  readonly by: Sender;
  readonly hostile: MakeRequest;
  /** An ordinary request of the same size; for senders without a key, one that gets 401. */
  readonly plain: MakeRequest;
  /** The rate as a share of that of the sender. */
  readonly share?: number;
  /** How many are sent when their cost is measured, if a worker handles them after the response. */
  readonly sample?: number;
}

/** Connections that are held open; a closed one is opened again. */
export interface Hold {
  readonly kind: 'hold';
  readonly title: string;
  /** The option with the number of connections. */
  readonly amount: 'uploads' | 'connections' | 'webhooks';
  /** What is sent at first, and then every second. */
  readonly send?: (access: Access) => { readonly first: string; readonly each: string };
  /** The average time until a closed connection is opened again. */
  readonly retryMs: number;
}

/** Rows of the database that workers have to handle. */
export interface Rows {
  readonly kind: 'rows';
  readonly title: string;
}

export type Attack = Flood | Hold | Rows;

/** How many times the processor time of a plain request a hostile one may take. */
export const maxCostRatio: Readonly<Record<Sender, number>> = { customer: 5, provider: 5, anyone: 3 };

const unauthorised = get('/balance');
const webhookBytes = 3 * 1024 * 1024;
/** The last bytes of a webhook arrive one by one, so that all of them are in progress at the same time. */
const slowBytes = 5;

const flood = (
  by: Sender,
  title: string,
  hostile: MakeRequest,
  plain: MakeRequest,
  others: Pick<Flood, 'share' | 'sample'> = {},
): Flood => ({ kind: 'flood', by, title, hostile, plain, ...others });

const estimate = (body: string | ((index: number) => string)): MakeRequest => postJson('/sms/estimate', body);

const signed =
  (body: (index: number) => string): MakeRequest =>
  ({ webhook: { path, secret } }, index) => {
    const text = body(index);
    const signature = createHmac('sha256', secret).update(text).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    return { method: 'POST', path, headers, body: text };
  };

export const attacks = {
  spaces: flood(
    'customer',
    '1 MiB of spaces',
    postJson('/sms/send', spacesBody),
    estimate(plainBody(spacesBody.length)),
  ),
  'deep-json': flood(
    'customer',
    'JSON 100,000 deep',
    postJson('/sms/send', deepBody),
    estimate(plainBody(deepBody.length)),
  ),
  'field-names': flood(
    'customer',
    '1,400 unknown fields',
    estimate(fieldsBody(1_400)),
    estimate(plainBody(fieldsBody(1_400)(0).length)),
  ),
  'allowed-names': flood(
    'customer',
    '490 unknown fields',
    estimate(fieldsBody(490)),
    estimate(plainBody(fieldsBody(490)(0).length)),
  ),
  'zero-numbers': flood(
    'customer',
    '1,000 numbers +1 0xx',
    estimate(recipientsBody(zeroNumber)),
    estimate(recipientsBody(plainNumber)),
  ),
  'all-codes': flood(
    'customer',
    '1,000 numbers, all codes',
    estimate(recipientsBody(numberOfAnyCode)),
    estimate(recipientsBody(plainNumber)),
  ),
  'webhook-numbers': flood(
    'provider',
    'webhooks +1 0xx',
    signed(webhookBody(zeroNumber)),
    signed(webhookBody(plainNumber)),
    { share: 0.1, sample: 10 },
  ),
  'misspelt-paths': flood(
    'customer',
    'misspelt paths, key',
    getWithKey(misspeltPath),
    getWithKey((index) => `/lookup/phone?phone=${encodeURIComponent(plainNumber(index))}`),
  ),
  'unknown-paths': flood('anyone', 'unknown paths', get(unknownPath), unauthorised),
  'near-paths': flood('anyone', 'misspelt paths', get(misspeltPath), unauthorised),
  'unknown-keys': flood(
    'anyone',
    'unknown keys',
    () => ({ method: 'GET', path: '/balance', headers: { authorization: newApiKey('live').key } }),
    unauthorised,
  ),
  documents: flood(
    'anyone',
    'large documents',
    get('/docs/reference.js', { 'accept-encoding': 'identity' }),
    unauthorised,
    { share: 0.1 },
  ),
  'slow-uploads': {
    kind: 'hold',
    title: 'slow uploads',
    amount: 'uploads',
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
  'idle-connections': { kind: 'hold', title: 'idle connections', amount: 'connections', retryMs: 1_000 },
  'large-webhooks': {
    kind: 'hold',
    title: '3 MiB webhooks',
    amount: 'webhooks',
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
  'dead-hosts': { kind: 'rows', title: 'dead callback hosts' },
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;

export const attackNames = Object.keys(attacks) as AttackName[];

export const attackOf = (name: AttackName): Attack => attacks[name];
