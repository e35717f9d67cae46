import { createHmac } from 'node:crypto';
import type { HttpRequest } from '@gangan/http-client';
import { fill } from './placeholders.js';
import type { HmacSettings } from './request-settings.js';

/** The value of the header that signs a request. */
export function signature(
  { algorithm, encoding = 'hex', prefix = '', of = '{body}' }: HmacSettings,
  { method = 'POST', url, body = '' }: HttpRequest,
  secret: string,
  timestamp: string,
): string {
  const { pathname, search } = new URL(url);
  const signed = fill(of, { method, url, path: pathname + search, body, timestamp });
  return prefix + createHmac(algorithm, secret).update(signed).digest(encoding);
}
