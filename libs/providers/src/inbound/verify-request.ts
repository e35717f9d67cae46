import { createHash, createHmac } from 'node:crypto';
import { isSameSecret } from '@gangan/protocol';
import { sortedFields } from './form-fields.js';
import { type InboundSettings, secretName } from './inbound-settings.js';
import { plivoFault } from './plivo-signature.js';
import { headerOf, isEqual, type ReceivedRequest } from './received-request.js';
import { vonageFault } from './vonage-signature.js';

const knownChecks = new Set([
  ...['hmac', 'twilio', 'vonage', 'plivo', 'basic', 'addresses', 'handshake', 'maxBytes'],
]);

/**
 * Why the request does not pass all checks of the settings, for operators; undefined if it is genuine. Addresses are checked
 * elsewhere. A check that this version does not know fails: during an upgrade, a later version may have added it.
 */
export function findForgery(
  settings: InboundSettings,
  secrets: Readonly<Record<string, string>>,
  request: ReceivedRequest,
): string | undefined {
  const unknown = Object.keys(settings).find((name) => !knownChecks.has(name));
  if (unknown !== undefined)
    return `this version of the worker does not know the check inbound.${unknown}: upgrade it`;
  const { hmac, twilio, vonage, plivo, basic } = settings;
  const verify = (placeholder: string, findFault: (secret: string) => string | undefined) => {
    const secret = secrets[secretName(placeholder) ?? ''] ?? '';
    return secret === '' ? `its secret ${placeholder} is not given` : findFault(secret);
  };
  return (
    (hmac && verify(hmac.secret, (secret) => hmacFault(hmac, secret, request))) ??
    (twilio && verify(twilio.secret, (token) => twilioFault(token, request))) ??
    (vonage && verify(vonage.secret, (secret) => vonageFault(vonage.algorithm, secret, request))) ??
    (plivo && verify(plivo.secret, (token) => plivoFault(plivo, token, request))) ??
    (basic && verify(basic.password, (password) => basicFault(`${basic.username}:${password}`, request)))
  );
}

const challenge = /^[\w.-]{1,256}$/;

/**
 * The challenge to repeat, if the request is the first one of a subscription (WebSub: `hub.mode=subscribe`) and has the
 * token of the settings.
 */
export function challengeOf(
  { handshake }: InboundSettings,
  secrets: Readonly<Record<string, string>>,
  { method, url }: Pick<ReceivedRequest, 'method' | 'url'>,
): string | undefined {
  const token = handshake && secrets[secretName(handshake.secret) ?? ''];
  if (method !== 'GET' || token === undefined || token === '') return undefined;
  const query = new URLSearchParams(url.split(/\?(.*)/s)[1]);
  const given = query.get('hub.challenge') ?? '';
  const isValid = query.get('hub.mode') === 'subscribe' && challenge.test(given);
  return isValid && isSameSecret(query.get('hub.verify_token') ?? '', token) ? given : undefined;
}

function hmacFault(
  { header, algorithm, encoding = 'hex', prefix = '' }: NonNullable<InboundSettings['hmac']>,
  secret: string,
  { headers, body }: ReceivedRequest,
): string | undefined {
  const given = headerOf(headers, header);
  if (given === '') return `the header ${header} is missing`;
  if (!given.startsWith(prefix)) return `the header ${header} does not begin with ${prefix}`;
  // Without a body, the query would be read.
  if (body.length === 0) return 'it has no body, and a signature does not cover its query';
  const expected = createHmac(algorithm, secret).update(body).digest();
  return isEqual(Buffer.from(given.slice(prefix.length), encoding), expected)
    ? undefined
    : `${header} does not match the body: check the secret, the algorithm and the encoding`;
}

/**
 * https://www.twilio.com/docs/usage/security: the URL, then the names and values of the form, sorted by name. For another
 * body (JSON) the URL has its hash as the parameter `bodySHA256`, and alone is signed. Only a POST has a body, so the
 * signature of another method covers none.
 */
function twilioFault(token: string, { method, url, headers, body }: ReceivedRequest): string | undefined {
  const given = headerOf(headers, 'X-Twilio-Signature');
  if (given === '') return 'the header X-Twilio-Signature is missing';
  if (method !== 'POST' && body.length > 0) return 'only a POST may have a body';
  const bodyHash = new URLSearchParams(url.split(/\?(.*)/s)[1]).get('bodySHA256');
  const signed = bodyHash === null ? url + twilioFields(body) : url;
  const expected = createHmac('sha1', token).update(signed).digest();
  if (!isEqual(Buffer.from(given, 'base64'), expected))
    return 'X-Twilio-Signature does not match: check the secret, and PUBLIC_URL, which begins the address that Twilio signs';
  return bodyHash === null || isHash(bodyHash, body) ? undefined : 'bodySHA256 does not match the body';
}

/** A field that is given twice with the same value counts once. */
const twilioFields = (body: Buffer): string =>
  sortedFields(body.toString('utf8'))
    .filter(([name, value], index, all) => all[index - 1]?.[0] !== name || all[index - 1]?.[1] !== value)
    .flat()
    .join('');

const isHash = (hex: string, body: Buffer): boolean =>
  isEqual(Buffer.from(hex, 'hex'), createHash('sha256').update(body).digest());

function basicFault(expected: string, { headers }: ReceivedRequest): string | undefined {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/=]+)$/i.exec(headerOf(headers, 'Authorization')) ?? [];
  return isSameSecret(Buffer.from(encoded, 'base64').toString('utf8'), expected)
    ? undefined
    : 'the header Authorization does not have the Basic credentials of the settings';
}
