import { csv, type Operation } from './documented-api.js';
import type { Sent } from './exchange.js';

export type Pairs = readonly (readonly [name: string, value: string])[];

/** A request in parts, so that each can be chosen or made invalid separately. */
export interface RequestParts {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  /** Appended to the path unchanged. */
  readonly tail: string;
  readonly query: Pairs;
  readonly headers: Pairs;
  readonly contentType: string | undefined;
  /** JSON text by field, or a body that is not an object. */
  readonly body: Readonly<Record<string, string>> | Buffer | undefined;
}

/** A request with only the key, and the file if the operation takes one. */
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

/** A URL cannot contain half of a surrogate pair. */
const encode = (text: string): string => encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'));
