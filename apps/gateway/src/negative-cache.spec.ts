import { describe, expect, it } from '@jest/globals';
import { NegativeCache } from './negative-cache.js';

interface Found {
  readonly name: string;
}

function setUp(maxEntries = 10) {
  let now = 1;
  const fetched: string[] = [];
  const store = new Map<string, Found>();
  const cache = new NegativeCache<Found>(3_000, maxEntries, { now: () => now });
  const get = (key: string) =>
    cache.get(key, () => {
      fetched.push(key);
      return Promise.resolve(store.get(key));
    });
  return { cache, get, fetched, store, advance: (ms: number) => (now += ms) };
}

describe('NegativeCache', () => {
  it('caches hits and misses for the ttl', async () => {
    const { get, fetched, store, advance } = setUp();
    store.set('a', { name: 'A' });
    expect([await get('a'), await get('b'), await get('a'), await get('b')]).toEqual([
      { name: 'A' },
      undefined,
      { name: 'A' },
      undefined,
    ]);
    expect(fetched).toEqual(['a', 'b']);
    store.clear();
    store.set('b', { name: 'B' });
    advance(3_001);
    expect([await get('a'), await get('b')]).toEqual([undefined, { name: 'B' }]);
    expect([await get('a'), await get('b')]).toEqual([undefined, { name: 'B' }]);
    expect(fetched).toEqual(['a', 'b', 'a', 'b']);
  });

  it('shares one fetch between concurrent lookups', async () => {
    const { get, fetched, store } = setUp();
    store.set('a', { name: 'A' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => get('a')));
    expect(new Set(answers).size).toBe(1);
    expect(fetched).toEqual(['a']);
  });

  it('counts the ttl from the start of the fetch', async () => {
    const { cache, advance } = setUp();
    const slow = (name: string, ms: number) => () => {
      advance(ms);
      return Promise.resolve({ name });
    };
    expect(await cache.get('a', slow('old', 3_001))).toEqual({ name: 'old' });
    expect(await cache.get('a', slow('new', 0))).toEqual({ name: 'new' });
  });

  it('does not cache a failed fetch', async () => {
    const { cache, get, store } = setUp();
    store.set('a', { name: 'A' });
    await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(await get('a')).toEqual({ name: 'A' });
  });

  it('is bounded, and misses do not evict hits', async () => {
    const { get, fetched, store } = setUp(2);
    store.set('a', { name: 'A' });
    for (const key of ['a', 'x', 'y', 'z']) await get(key);
    fetched.length = 0;
    for (const key of ['a', 'y', 'z']) await get(key);
    expect(fetched).toEqual([]);
    await get('x');
    expect(fetched).toEqual(['x']);
  });
});
