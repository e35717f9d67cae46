import { newApiKey } from '@gangan/database';
import type { AppError } from '@gangan/protocol';
import { type AppLogger, RuntimeConfig } from '@gangan/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { NegativeCache } from '../negative-cache.js';
import { Authenticator } from './authenticator.js';
import type { ApiKeyRepository, ActiveKey } from './api-key.repository.js';

const silent = { findActive: () => new Promise(() => undefined) } as unknown as ApiKeyRepository;

const config = new RuntimeConfig({ NODE_ENV: 'test' });

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
    const authenticator = new Authenticator(
      repository,
      new NegativeCache(1_000, 10),
      {} as AppLogger,
      config,
    );
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
    const waited = present(newApiKey('live').key, '::1');
    await jest.advanceTimersByTimeAsync(3_000);
    expect(await waited).toBe(503);
  });

  it('looks one key per address up while the gateway is busy, and none that it did not find a moment ago', async () => {
    const missing = newApiKey('live');
    const repository = {
      findActive: (hash: Buffer) =>
        hash.equals(missing.hash) ? Promise.resolve(undefined) : new Promise(() => undefined),
    } as unknown as ApiKeyRepository;
    const cache = new NegativeCache<ActiveKey>(1_000, 10);
    const authenticator = new Authenticator(repository, cache, {} as AppLogger, config);
    const may = (key: string, address: string) => authenticator.mayLookUp(['Authorization', key], address);
    const { key } = newApiKey('live');
    expect(may(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`, '::1')).toBe(false);
    expect(may('no key', '::1')).toBe(false);
    expect(may(missing.key, '::1')).toBe(true);
    await authenticator.authenticate(['Authorization', missing.key], '::1').catch(() => undefined);
    expect(may(missing.key, '::1')).toBe(false);
    expect(may(key, '::1')).toBe(true);
    authenticator.authenticate(['Authorization', key], '::1').catch(() => undefined);
    expect(may(newApiKey('live').key, '::1')).toBe(false);
    expect(may(newApiKey('live').key, '::2')).toBe(true);
  });

  it('never accepts the demo key in production', async () => {
    const findActive = jest.fn<() => Promise<undefined>>().mockResolvedValue(undefined);
    const inMode = (NODE_ENV: 'production' | 'development') =>
      new Authenticator(
        { findActive } as unknown as ApiKeyRepository,
        new NegativeCache<ActiveKey>(1_000, 10),
        {} as AppLogger,
        new RuntimeConfig({ NODE_ENV }),
      );
    const headers = ['Authorization', 'sk_test_demo'];
    const production = inMode('production');
    await expect(production.authenticate(headers, '::1')).rejects.toMatchObject({ status: 401 });
    expect(await production.acceptsDemoKey()).toBe(false);
    expect(findActive).not.toHaveBeenCalled();
    const development = inMode('development');
    await expect(development.authenticate(headers, '::1')).rejects.toMatchObject({ status: 401 });
    expect(await development.acceptsDemoKey()).toBe(false);
    expect(findActive).toHaveBeenCalled();
  });

  it('finds a key without waiting while it is cached', async () => {
    const { key, hash } = newApiKey('live');
    const found = { id: 'k', hash } as ActiveKey;
    const repository = { findActive: () => Promise.resolve(found), markUsed: () => Promise.resolve() };
    const authenticator = new Authenticator(
      repository as unknown as ApiKeyRepository,
      new NegativeCache<ActiveKey>(1_000, 10, { now: () => Date.now() }),
      {} as AppLogger,
      config,
    );
    const headers = ['Authorization', key];
    expect(authenticator.findCached(headers)).toBeUndefined();
    expect(await authenticator.authenticate(headers, '::1')).toBe(found);
    expect(authenticator.findCached(headers)).toBe(found);
    expect(authenticator.findCached([...headers, ...headers])).toBeUndefined();
    expect(authenticator.findCached(['Authorization', newApiKey('live').key])).toBeUndefined();
    jest.advanceTimersByTime(1_001);
    expect(authenticator.findCached(headers)).toBeUndefined();
  });

  it('times out if the database does not respond', async () => {
    const authenticator = new Authenticator(
      silent,
      new NegativeCache<ActiveKey>(1_000, 10),
      {} as AppLogger,
      config,
    );
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
