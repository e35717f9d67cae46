import { csv, type Operation } from './described.js';
import type { Sent } from './exchange.js';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request on its way to being sent: still in parts, so that each can be chosen, or spoilt, by itself. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Appended to the path as it is. */
  readonly tail: string;
  readonly query: Pairs;
  readonly headers: Pairs;
  readonly contentType: string | undefined;
  /** JSON text by field, or a body that is no object. */
  readonly body: Readonly<Record<string, string>> | Buffer | undefined;
}

/** The operation with nothing given but the key, and the file if it takes one. */
export const bareParts = ({ method, path, isPublic, file }: Operation, key: string): RequestParts => ({
  method,
  path,
  params: {},
  tail: '',
  query: [],
  headers: [['host', 'localhost'], ...(isPublic ? [] : ([['authorization', key]] as const))],
  contentType: file === undefined ? 'application/json' : csv,
  body: file === undefined ? undefined : Buffer.from(file),
});

export function assemble(parts: RequestParts): Sent {
  const { method, path, params, tail, query, headers, contentType, body } = parts;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(params[name] ?? 'x') || '%20');
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const payload = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(objectText(body));
  return {
    method,
    target: filled + tail + (search && `?${search}`),
    headers: [...headers, ...(contentType === undefined ? [] : ([['content-type', contentType]] as const))],
    ...(payload && { body: payload }),
  };
}

const objectText = (fields: Readonly<Record<string, string>>): string =>
  `{${Object.entries(fields)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(',')}}`;

/** Half of a surrogate pair has no place in a URL. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
