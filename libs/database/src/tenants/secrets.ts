import { createHash, randomBytes } from 'node:crypto';
import type { Mode } from './accounts.js';

const secretBytes = 32;
const prefixCharacters = 16;

/** An API key, and what is stored of it. */
export interface NewApiKey {
  /** Shown once, never stored. */
  readonly key: string;
  /** Shown in lists, so that people recognise the key. */
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

/** In the format of Standard Webhooks. */
export const newCallbackSecret = (): string => `whsec_${randomBytes(secretBytes).toString('base64')}`;
