import type { AppLogger } from '@gangan/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Recent } from '../recent.js';
import { ApiKeyCheck } from './api-key-check.js';
import type { ApiKeyRepository, LivingKey } from './api-key.repository.js';

const silent = { findLiving: () => new Promise(() => undefined) } as unknown as ApiKeyRepository;

describe('the check of keys', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('does not wait for ever for a database that stays silent', async () => {
    const check = new ApiKeyCheck(silent, new Recent<LivingKey>(1_000, 10), {} as AppLogger);
    const refused = expect(check.recognise(['Authorization', 'sk_test_x'])).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
    });
    await jest.advanceTimersByTimeAsync(3_000);
    await refused;
  });
});
