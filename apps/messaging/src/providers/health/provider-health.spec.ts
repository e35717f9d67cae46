import type { Database } from '@gangan/database';
import { type AppLogger, Registry } from '@gangan/runtime';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { MessagingConfig } from '../../messaging.config.js';
import { ProviderHealth } from './provider-health.js';
import { ProviderMetrics } from './provider.metrics.js';

const provider = { name: 'termii', rate: 0 };

describe('the health of providers', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is read every second while the worker submits, and every five seconds while it does not', async () => {
    let reads = 0;
    const database = {
      run: () => {
        reads += 1;
        return Promise.resolve([]);
      },
    } as unknown as Database;
    const config = { DELIVERY_PROVIDER_RATE: 0, DELIVERY_PROVIDER_TIMEOUT_MS: 1_000 } as MessagingConfig;
    const health = new ProviderHealth(database, new ProviderMetrics(new Registry()), {} as AppLogger, config);
    const readsIn = async (seconds: number): Promise<number> => {
      const before = reads;
      for (let second = 0; second < seconds; second += 1) {
        await health.refreshIfDue();
        jest.advanceTimersByTime(1_000);
      }
      return reads - before;
    };
    expect(await readsIn(30)).toBe(6);
    await health.record(
      provider,
      health.admitUp('termii'),
      ['1'],
      [{ kind: 'accepted', providerReference: 'r' }],
    );
    expect(await readsIn(5)).toBe(5);
    jest.advanceTimersByTime(5_000);
    expect(await readsIn(30)).toBe(6);
  });
});
