import { newApiKey } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import type { AppLogger } from '@gangan/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NegativeCache } from '../negative-cache.js';
import { Authenticator } from './authenticator.js';
import type { ApiKeyRepository, ActiveKey } from './api-key.repository.js';

const silent = { findActive: () => new Promise(() => undefined) } as unknown as ApiKeyRepository;

describe('authentication', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('reads nothing for a key with a wrong checksum, and little at a time for unknown keys', async () => {
    const reads: string[] = [];
    const repository = {
      findActive: (hash: Buffer) => {
        reads.push(hash.toString('hex'));
        return new Promise(() => undefined);
      },
    } as unknown as ApiKeyRepository;
    const authenticator = new Authenticator(repository, new NegativeCache(1_000, 10), {} as AppLogger);
    const present = (key: string, address: string) =>
      authenticator
        .authenticate(['Authorization', key], address)
        .catch((error: unknown) => (error as AppError).status);
    const { key } = newApiKey('live');
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    expect(await present(wrong, '::1')).toBe(401);
    expect(reads).toHaveLength(0);
    for (let number = 0; number < 100; number += 1) void present(newApiKey('live').key, '::1');
    expect(reads).toHaveLength(4);
    void present(key, '::2');
    expect(reads).toHaveLength(5);
  });

  it('times out if the database does not respond', async () => {
    const authenticator = new Authenticator(silent, new NegativeCache<ActiveKey>(1_000, 10), {} as AppLogger);
    const refused = expect(
      authenticator.authenticate(['Authorization', 'sk_test_x'], '::1'),
    ).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    await jest.advanceTimersByTimeAsync(3_000);
    await refused;
  });
});
