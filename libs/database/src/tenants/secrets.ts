import { createHash, randomBytes } from 'node:crypto';
import type { Mode } from './accounts.js';

const secretBytes = 32;
const prefixCharacters = 16;

/** An API key and what may be kept of it. */
export interface NewApiKey {
  /** Shown once, stored nowhere. */
  readonly key: string;
  /** What people recognise it by. */
  readonly prefix: string;
  readonly hash: Buffer<ArrayBuffer>;
}

export const newApiKey = (mode: Mode): NewApiKey =>
  describeKey(`sk_${mode}_${randomBytes(secretBytes).toString('base64url')}`);

export const describeKey = (key: string): NewApiKey => ({
  key,
  prefix: key.slice(0, prefixCharacters),
  hash: createHash('sha256').update(key).digest(),
});

/** In the spelling of Standard Webhooks. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;
