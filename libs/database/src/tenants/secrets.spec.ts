import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { describeKey, isInventedKey, newApiKey } from './api-keys.js';
import { newCallbackSecret } from './secrets.js';

describe('a new API key', () => {
  it.each(['live', 'test'] as const)('names its mode %s, and has 256 random bits and a checksum', (mode) => {
    const { key } = newApiKey(mode);
    expect(key).toMatch(new RegExp(`^sk_${mode}_[A-Za-z0-9_-]{43}[0-9a-f]{8}$`));
    expect(newApiKey(mode).key).not.toBe(key);
    expect(isInventedKey(key)).toBe(false);
    for (const at of [8, 20, key.length - 1]) {
      const changed = `${key.slice(0, at)}${key[at] === 'a' ? 'b' : 'a'}${key.slice(at + 1)}`;
      expect(isInventedKey(changed)).toBe(true);
    }
    for (const older of ['sk_test_demo', `sk_live_${'x'.repeat(43)}`])
      expect(isInventedKey(older)).toBe(false);
  });

  it('is stored as its SHA-256 and a short prefix', () => {
    const { key, prefix, hash } = newApiKey('live');
    expect(hash).toEqual(createHash('sha256').update(key).digest());
    expect(prefix).toHaveLength(16);
    expect(key.startsWith(prefix)).toBe(true);
    expect(describeKey('sk_test_demo').prefix).toBe('sk_test_demo');
  });
});

describe('a new callback secret', () => {
  it('is 24 to 64 bytes in base64, as Standard Webhooks requires', () => {
    const secret = newCallbackSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
    expect(newCallbackSecret()).not.toBe(secret);
  });
});
