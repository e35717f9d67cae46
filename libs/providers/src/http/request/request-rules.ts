import { parseUrl } from '@gangan/protocol';
import { tokenRequest } from './access-tokens.js';
import { findSharedNames, itemOf } from './batches.js';
import { valueAt } from '../json-values.js';
import { fill, findNames, type PlaceholderValues } from './placeholders.js';
import type { RequestSettings } from './request-settings.js';

/** The HTTP client sets these itself, and answers are read without decompression. */
const reservedHeaders = [
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'keep-alive'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
];
const signedPlaceholders = ['body', 'method', 'path', 'timestamp', 'url'];

/** What the rules need to know about a request in the settings. */
export interface RequestRuleContext {
  /** Its path, such as `settings.request`. */
  readonly place: string;
  /** The placeholders that have a value, without secrets. */
  readonly placeholders: readonly string[];
  /** The names of the given secrets. */
  readonly secrets: readonly string[];
  readonly allowPrivate: boolean;
}

/** All faults of a request that has the right shape. */
export function findRequestFaults(request: RequestSettings, context: RequestRuleContext): string[] {
  const { place } = context;
  const { headers = {}, basic, bearer, oauth2, hmac, method = 'POST', ...others } = request;
  const bodies = (['json', 'form', 'text'] as const).filter((name) => others[name] !== undefined);
  const accesses = Object.entries({ basic, bearer, oauth2 }).filter(([, value]) => value !== undefined);
  return [
    ...findUnknownNames({ ...others, headers, basic, bearer }, context),
    ...(bodies.length > 1 ? [`${place} has ${bodies.join(' and ')}: give one body`] : []),
    ...(method === 'GET' && bodies.length > 0 ? [`${place}.method GET cannot have a body`] : []),
    ...(accesses.length > 1
      ? [`${place} has ${accesses.map(([name]) => name).join(' and ')}: give one`]
      : []),
    ...(findNames([headers, basic, bearer]).includes('text')
      ? [`${place}.headers cannot contain {text}`]
      : []),
    ...findHeaderFaults(request, place),
    ...findPlainSecrets(request, place),
    ...findUrlFaults(request.url, context),
    ...(oauth2 ? findTokenFaults(oauth2, context) : []),
    ...(hmac ? findHmacFaults(hmac, context) : []),
    ...findBatchFaults(request, place),
  ];
}

/** A secret that is not used is probably misspelt. */
export const findUnusedSecrets = (settings: unknown, secrets: readonly string[]): string[] => {
  const used = findNames(settings);
  return secrets
    .filter((name) => !used.includes(`secret.${name}`))
    .map((name) => `the secret ${name} is given, but the settings do not use {secret.${name}}`);
};

function findUnknownNames(
  template: unknown,
  { place, placeholders, secrets }: Omit<RequestRuleContext, 'allowPrivate'>,
): string[] {
  const known = [...placeholders, ...secrets.map((name) => `secret.${name}`)];
  return [...new Set(findNames(template))]
    .filter((name) => !known.includes(name))
    .map((name) => {
      if (name.startsWith('secret.'))
        return `${place} uses {${name}}, but the secret ${name.slice(7)} is not given`;
      if (name.startsWith('your_')) return `${place} has {${name}}: replace it with your own value`;
      return `${place} uses {${name}}, which is not a placeholder; use ${[...placeholders, 'secret.NAME'].join(', ')}`;
    });
}

function findHeaderFaults({ headers = {}, text }: RequestSettings, place: string): string[] {
  const reserved = Object.keys(headers).filter((name) => reservedHeaders.includes(name.toLowerCase()));
  return [
    ...(Object.entries(headers).some(([name, value]) => !isHeader(name, value))
      ? [`${place}.headers has an invalid name, or a value with line breaks`]
      : []),
    ...reserved.map((name) => `${place}.headers must not set ${name}`),
    // Values in a text are not encoded: a message could add elements to XML, or fields to JSON.
    ...(text !== undefined &&
    valuesOf(headers, 'content-type').some((type) => !/^text\/plain\s*(;|$)/i.test(type))
      ? [`${place}.text is only for the content type text/plain: use json or form`]
      : []),
  ];
}

/** Settings are stored, shown and audited in plain text. */
function findPlainSecrets({ headers = {}, basic, bearer }: RequestSettings, place: string): string[] {
  const places: Readonly<Record<string, readonly string[]>> = {
    bearer: bearer === undefined ? [] : [bearer],
    'basic.password': basic ? [basic.password] : [],
    'headers.authorization': valuesOf(headers, 'authorization'),
  };
  return Object.entries(places)
    .filter(([, values]) => !values.every(hasSecret))
    .map(([name]) => `${place}.${name} must contain {secret.NAME}: give the value as a secret`);
}

function findUrlFaults(
  url: string,
  { place, placeholders, secrets, allowPrivate }: RequestRuleContext,
): string[] {
  const known = [...placeholders, ...secrets.map((name) => `secret.${name}`)];
  const example = Object.fromEntries(known.map((name) => [name, 'x'])) as PlaceholderValues;
  const parsed = parseUrl(fill(url, example));
  const path = /^https?:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';
  return [
    ...(parsed ? [] : [`${place}.url is not a URL`]),
    ...(/^https?:\/\/[^/?#]*\{/.test(url) ? [`${place}.url must not have a placeholder in its host`] : []),
    ...(parsed && (parsed.username !== '' || parsed.password !== '')
      ? [`${place}.url must not contain credentials: use basic`]
      : []),
    ...(parsed?.protocol === 'http:' && !allowPrivate
      ? [`${place}.url must begin with https://, unless allowPrivate is true`]
      : []),
    // A segment `..` removes the one before it, even if its dots are encoded.
    ...findNames(path)
      .filter((name) => name === 'text' || name === 'sender')
      .map((name) => `${place}.url can have {${name}} only in its query`),
  ];
}

function findTokenFaults(
  oauth2: NonNullable<RequestSettings['oauth2']>,
  context: RequestRuleContext,
): string[] {
  const place = `${context.place}.oauth2`;
  return [
    ...findRequestFaults(tokenRequest(oauth2), { ...context, place, placeholders: [] }),
    ...(hasSecret(oauth2) ? [] : [`${place} must contain {secret.NAME}: give the credentials as secrets`]),
  ];
}

function findHmacFaults(hmac: NonNullable<RequestSettings['hmac']>, context: RequestRuleContext): string[] {
  const place = `${context.place}.hmac`;
  return [
    ...findUnknownNames(hmac.secret, { ...context, place: `${place}.secret`, placeholders: [] }),
    ...(hasSecret(hmac.secret)
      ? []
      : [`${place}.secret must contain {secret.NAME}: give the value as a secret`]),
    ...findUnknownNames(hmac.of, { ...context, place: `${place}.of`, placeholders: signedPlaceholders }),
    ...findHeaderFaults({ url: '', headers: { [hmac.header]: hmac.prefix ?? '' } }, place),
  ];
}

function findBatchFaults(request: RequestSettings, place: string): string[] {
  const { batch, json } = request;
  if (!batch) return [];
  if ((batch.items === undefined) === (batch.separator === undefined))
    return [`${place}.batch needs either items or separator`];
  const shared = findSharedNames(request);
  const alone = shared.filter((name) => name.startsWith('recipient') || isOfMessage(name));
  const list = batch.items === undefined ? [] : valueAt(json, batch.items);
  return [
    ...(batch.items !== undefined && (!Array.isArray(list) || list.length !== 1)
      ? [`${place}.batch.items is not a list with one element in ${place}.json`]
      : []),
    ...(batch.items !== undefined && !findNames(itemOf(request)).some((name) => name.startsWith('recipient'))
      ? [`${place}.batch.items does not use {recipient}`]
      : []),
    ...[...new Set(alone)].map((name) => `${place} uses {${name}} outside of what is repeated per message`),
    ...(batch.separator !== undefined && /\w\{recipient_national\}/.test(JSON.stringify(request))
      ? [`${place} has a prefix before {recipient_national}, which is a list with batch.separator: use items`]
      : []),
  ];
}

const isOfMessage = (name: string): boolean => name === 'reference' || name === 'report_url';

const hasSecret = (template: unknown): boolean =>
  findNames(template).some((name) => name.startsWith('secret.'));

const isHeader = (name: string, value: string): boolean =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && !/[\r\n\0]/.test(value);

const valuesOf = (headers: Readonly<Record<string, string>>, wanted: string): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
