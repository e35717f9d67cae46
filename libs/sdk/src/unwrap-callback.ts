import { CallbackSignatureError } from './errors.js';
import type { CallbackEvent } from './routes.js';

/** An event with the id of the callback, which is the same in every attempt: use it to recognise duplicates. */
export type Callback = CallbackEvent & { readonly id: string };

type CallbackHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const toleranceSeconds = 300;

/**
 * Verifies the signature of a callback and returns its event.
 *
 * @param rawBody the bytes as they arrived, before they were parsed
 * @param headers those of the request, as `Headers` or as Node has them
 * @param secret of the organisation or the endpoint, such as `whsec_…`
 * @throws CallbackSignatureError if the signature is not valid, or the time differs by more than five minutes
 */
export async function unwrapCallback(
  rawBody: string | Uint8Array,
  headers: CallbackHeaders,
  secret: string,
): Promise<Callback> {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  const age = Math.abs(Math.floor(Date.now() / 1_000) - Number(timestamp));
  if (!/^\d+$/.test(timestamp) || age > toleranceSeconds)
    throw new CallbackSignatureError(
      'The time of the callback differs from the clock by more than five minutes',
    );
  const body = typeof rawBody === 'string' ? new TextEncoder().encode(rawBody) : rawBody;
  const signed = concatenate(new TextEncoder().encode(`${id}.${timestamp}.`), body);
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), hmac, false, ['verify']);
  const verified = await Promise.all(
    // In constant time.
    signatures.map((signature) => crypto.subtle.verify('HMAC', key, signatureOf(signature), signed)),
  );
  if (!verified.includes(true))
    throw new CallbackSignatureError('No signature of the callback is valid for this secret');
  return { ...(JSON.parse(new TextDecoder().decode(body)) as CallbackEvent), id };
}

function headerOf(headers: CallbackHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueOf(headers, name);
  if (typeof value === 'string' && value !== '') return value;
  throw new CallbackSignatureError(`The callback has no header ${name}`);
}

const valueOf = (headers: Exclude<CallbackHeaders, Headers>, wanted: string): unknown =>
  Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];

function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''));
  if (!bytes) throw new TypeError('The secret of callbacks must be whsec_ and base64');
  return bytes;
}

/** Empty, which never verifies, if the version is unknown. */
const signatureOf = (entry: string): Uint8Array<ArrayBuffer> =>
  (entry.startsWith('v1,') ? bytesOf(entry.slice('v1,'.length)) : undefined) ?? new Uint8Array();

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
