import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { signatureHeaders } from './signature.js';

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly id: string;
  readonly timestamp: number;
  readonly body: string;
  readonly signature: string;
}

const file = new URL('../../../../docs/use/callbacks/signature-vectors.json', import.meta.url);
const vectors = JSON.parse(readFileSync(file, 'utf8')) as readonly Vector[];
const headersOf = ({ id, timestamp, signature }: Vector): Record<string, string> => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

/** Verification without a library, as a consumer writes it. */
function verifies(secret: string, headers: Record<string, string>, body: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id'] ?? ''}.${headers['webhook-timestamp'] ?? ''}.${body}`;
  const expected = createHmac('sha256', key).update(signed).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    const [version, signature = ''] = entry.split(',');
    const given = Buffer.from(signature, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}

const libraryVerifies = (secret: string, headers: Record<string, string>, body: string): boolean => {
  jest.spyOn(Date, 'now').mockReturnValue(Number(headers['webhook-timestamp']) * 1_000);
  try {
    new Webhook(secret).verify(body, headers, { jsonParse: false });
    return true;
  } catch {
    return false;
  }
};

afterEach(() => {
  jest.restoreAllMocks();
});

describe('the signature vectors', () => {
  it.each(vectors)('verify with and without the library: $name', (vector) => {
    expect(verifies(vector.secret, headersOf(vector), vector.body)).toBe(vector.valid);
    expect(libraryVerifies(vector.secret, headersOf(vector), vector.body)).toBe(vector.valid);
  });

  it('match our signatures', () => {
    const plain = vectors.filter(({ valid, signature }) => valid && !signature.includes(' '));
    expect(plain.length).toBeGreaterThan(2);
    for (const vector of plain) {
      const { id, body, secret, timestamp } = vector;
      const at = new Date(timestamp * 1_000 + 999);
      expect(signatureHeaders({ id, body, secrets: [secret], at })).toEqual(headersOf(vector));
    }
  });
});

describe('a signed callback', () => {
  const secrets = fc
    .uint8Array({ minLength: 24, maxLength: 64 })
    .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`);
  const bodies = fc.string({ unit: 'grapheme', minLength: 1 });

  it('verifies with every active secret and no other', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(secrets, { minLength: 3, maxLength: 3 }),
        bodies,
        fc.uuid(),
        (all, body, id) => {
          const [old = '', fresh = '', foreign = ''] = all;
          const headers = signatureHeaders({ id, body, secrets: [fresh, old], at: new Date('2026-11-15') });
          for (const check of [verifies, libraryVerifies]) {
            expect(check(old, headers, body)).toBe(true);
            expect(check(fresh, headers, body)).toBe(true);
            expect(check(foreign, headers, body)).toBe(false);
            expect(check(old, headers, `${body} `)).toBe(false);
          }
        },
      ),
    );
  });

  it('is never sent unsigned', () => {
    expect(() => signatureHeaders({ id: 'x', body: '{}', secrets: [], at: new Date() })).toThrow(
      'without a secret',
    );
  });
});
