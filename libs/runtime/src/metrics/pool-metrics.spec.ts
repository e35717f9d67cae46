import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { measurePools } from './pool-metrics.js';

describe('the metrics of the pools', () => {
  it('show the state of each pool at the scrape', async () => {
    const registry = new Registry();
    let waiting = 0;
    measurePools(registry, {
      database: () => ({ max: 6, size: 4, idle: 1, waiting }),
      queue: () => ({ max: 7, size: 7, idle: 0, waiting: 2 }),
    });
    expect(await registry.metrics()).toContain('gangan_database_pool_waiting{pool="database"} 0');
    waiting = 3;
    const text = await registry.metrics();
    expect(text).toContain('gangan_database_pool_waiting{pool="database"} 3');
    expect(text).toContain('gangan_database_pool_max{pool="database"} 6');
    expect(text).toContain('gangan_database_pool_size{pool="database"} 4');
    expect(text).toContain('gangan_database_pool_idle{pool="database"} 1');
    expect(text).toContain('gangan_database_pool_waiting{pool="queue"} 2');
  });
});
