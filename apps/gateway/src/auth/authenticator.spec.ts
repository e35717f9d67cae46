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

  it('times out if the database does not respond', async () => {
    const authenticator = new Authenticator(silent, new NegativeCache<ActiveKey>(1_000, 10), {} as AppLogger);
    const refused = expect(authenticator.authenticate(['Authorization', 'sk_test_x'])).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    await jest.advanceTimersByTimeAsync(3_000);
    await refused;
  });
});
