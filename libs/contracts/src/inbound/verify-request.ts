import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type InboundSettings, secretName } from './inbound-settings.js';
import { hasVonageSignature } from './vonage-signature.js';

/** A request as it arrived. */
export interface ReceivedRequest {
  readonly method: string;
  /** As the provider called it: public host, path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Of the body. */
  readonly contentType?: string | undefined;
  readonly body: Buffer;
}

const knownChecks = new Set(['hmac', 'twilio', 'vonage', 'basic', 'addresses', 'handshake', 'maxBytes']);

/**
 * Whether the request passes all checks of the settings. Addresses are checked elsewhere. A check that this version does
 * not know fails: during an upgrade, a later version may have added it.
 */
export function isGenuine(
  settings: InboundSettings,
  secrets: Readonly<Record<string, string>>,
  request: ReceivedRequest,
): boolean {
  const { hmac, twilio, vonage, basic } = settings;
  const valueOf = (placeholder: string): string => secrets[secretName(placeholder) ?? ''] ?? '';
  return (
    Object.keys(settings).every((name) => knownChecks.has(name)) &&
    (!hmac || hasHmac(hmac, valueOf(hmac.secret), request)) &&
    (!twilio || hasTwilioSignature(valueOf(twilio.secret), request)) &&
    (!vonage || hasVonageSignature(vonage.algorithm, valueOf(vonage.secret), request)) &&
    (!basic || hasCredentials(`${basic.username}:${valueOf(basic.password)}`, request))
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

function hasHmac(
  { header, algorithm, encoding = 'hex', prefix = '' }: NonNullable<InboundSettings['hmac']>,
  secret: string,
  { headers, body }: ReceivedRequest,
): boolean {
  const given = headerOf(headers, header);
  // Without a body the query would be read, and the signature does not cover it.
  if (secret === '' || given === '' || !given.startsWith(prefix) || body.length === 0) return false;
  const expected = createHmac(algorithm, secret).update(body).digest();
  return isEqual(Buffer.from(given.slice(prefix.length), encoding), expected);
}

/**
 * https://www.twilio.com/docs/usage/security: the URL, then the names and values of the form, sorted by name. For another
 * body (JSON) the URL has its hash as the parameter `bodySHA256`, and alone is signed. Only a POST has a body, so the
 * signature of another method covers none.
 */
function hasTwilioSignature(token: string, { method, url, headers, body }: ReceivedRequest): boolean {
  const given = headerOf(headers, 'x-twilio-signature');
  if (token === '' || given === '' || (method !== 'POST' && body.length > 0)) return false;
  const bodyHash = new URLSearchParams(url.split(/\?(.*)/s)[1]).get('bodySHA256');
  const signed = bodyHash === null ? url + twilioFields(body) : url;
  const expected = createHmac('sha1', token).update(signed).digest();
  return isEqual(Buffer.from(given, 'base64'), expected) && (bodyHash === null || isHash(bodyHash, body));
}

const twilioFields = (body: Buffer): string =>
  [...valuesByName(body.toString('utf8'))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, values]) => [...values].toSorted().map((value) => name + value))
    .join('');

const isHash = (hex: string, body: Buffer): boolean =>
  isEqual(Buffer.from(hex, 'hex'), createHash('sha256').update(body).digest());

/** The different values of each field of a form, in one pass: a form may have tens of thousands of names. */
function valuesByName(form: string): Map<string, Set<string>> {
  const fields = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(form)) {
    const values = fields.get(name);
    if (values) values.add(value);
    else fields.set(name, new Set([value]));
  }
  return fields;
}

function hasCredentials(expected: string, { headers }: ReceivedRequest): boolean {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/=]+)$/i.exec(headerOf(headers, 'authorization')) ?? [];
  return isSameSecret(Buffer.from(encoded, 'base64').toString('utf8'), expected);
}

/** Takes the same time wherever they differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

const isEqual = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

function headerOf(headers: IncomingHttpHeaders, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}
