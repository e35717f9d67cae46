import { createHmac } from 'node:crypto';
import type { SeenCallback } from '@gangan/testing';

/** Signs as docs/use/callbacks.md describes, without the library that the callback worker uses. */
export function signatureOf({ headers, body }: SeenCallback, secret: string): string {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  return `v1,${createHmac('sha256', bytesOf(secret)).update(signed).digest('base64')}`;
}

export const bytesOf = (secret: string): Buffer => Buffer.from(secret.slice('whsec_'.length), 'base64');
