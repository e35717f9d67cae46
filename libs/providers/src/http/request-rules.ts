import { parseUrl } from '@gangan/protocol';
import type { HttpSettings, RequestSettings } from './http-settings.js';
import { fill, findNames, type PlaceholderValues } from './placeholders.js';

/** The HTTP client sets these itself, and answers are read without decompression. */
const reservedHeaders = [
  ...['accept-encoding', 'connection', 'content-length', 'expect', 'host', 'keep-alive'],
  ...['proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
];

export function findHeaderFaults({ headers = {}, text }: RequestSettings): string[] {
  const reserved = Object.keys(headers).filter((name) => reservedHeaders.includes(name.toLowerCase()));
  return [
    ...(Object.entries(headers).some(([name, value]) => !isHeader(name, value))
      ? ['settings.request.headers has an invalid name, or a value with line breaks']
      : []),
    ...reserved.map((name) => `settings.request.headers must not set ${name}`),
    // The values in a text are not encoded, so that a message could add elements to XML or fields to JSON.
    ...(text !== undefined &&
    valuesOf(headers, 'content-type').some((type) => !/^text\/plain\s*(;|$)/i.test(type))
      ? ['settings.request.text is only for the content type text/plain: use json or form']
      : []),
  ];
}

/** Settings are stored and shown in plain text, and are in the audit log. */
export function findPlainSecrets({ headers = {}, basic, bearer }: RequestSettings): string[] {
  const places: Readonly<Record<string, readonly string[]>> = {
    bearer: bearer === undefined ? [] : [bearer],
    'basic.password': basic ? [basic.password] : [],
    'headers.authorization': valuesOf(headers, 'authorization'),
  };
  const hasSecret = (value: string): boolean => findNames(value).some((name) => name.startsWith('secret.'));
  return Object.entries(places)
    .filter(([, values]) => !values.every(hasSecret))
    .map(([place]) => `settings.request.${place} must contain {secret.NAME}: give the value as a secret`);
}

/** @param known the names of all placeholders */
export function findUrlFaults({ request, allowPrivate }: HttpSettings, known: readonly string[]): string[] {
  const { url } = request;
  const example = Object.fromEntries(known.map((name) => [name, 'x'])) as PlaceholderValues;
  const parsed = parseUrl(fill(url, example));
  const path = /^https?:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? '';
  return [
    ...(parsed ? [] : ['settings.request.url is not a URL']),
    ...(/^https?:\/\/[^/?#]*\{/.test(url)
      ? ['settings.request.url must not have a placeholder in its host']
      : []),
    ...(parsed && (parsed.username !== '' || parsed.password !== '')
      ? ['settings.request.url must not contain credentials: use basic']
      : []),
    ...(parsed?.protocol === 'http:' && allowPrivate !== true
      ? ['settings.request.url must begin with https://, unless allowPrivate is true']
      : []),
    // A segment `..` removes the one before it, also if its dots are encoded.
    ...findNames(path)
      .filter((name) => name === 'text' || name === 'sender')
      .map((name) => `settings.request.url can have {${name}} only in its query`),
  ];
}

const isHeader = (name: string, value: string): boolean =>
  /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && !/[\r\n\0]/.test(value);

const valuesOf = (headers: Readonly<Record<string, string>>, wanted: string): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (name.toLowerCase() === wanted ? [value] : []));
