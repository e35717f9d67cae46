import { describe, expect, it } from '@jest/globals';
import { boundedCache } from './bounded-cache.js';

describe('boundedCache', () => {
  it('gives up the entry that was not used for longest', () => {
    const cache = boundedCache<string>(2);
    for (const key of ['a', 'b']) cache.set(key, key);
    cache.get('a');
    cache.set('c', 'c');
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['a', undefined, 'c']);
  });

  it('counts values that it fetches as one entry each', async () => {
    const cache = boundedCache<string>(2, { fetchMethod: (key) => Promise.resolve(key.repeat(100)) });
    for (const key of ['a', 'b', 'c']) await cache.fetch(key);
    expect([...cache.keys()].toSorted()).toEqual(['b', 'c']);
  });

  it('takes no space for entries that it does not have', () => {
    const before = process.memoryUsage().heapUsed;
    const caches = Array.from({ length: 100 }, () => boundedCache<string>(10_000, { ttl: 1_000 }));
    expect((process.memoryUsage().heapUsed - before) / caches.length).toBeLessThan(20_000);
  });
});
