import { afterEach, describe, expect, it } from '@jest/globals';
import { ConnectionPools } from './connection-pools.js';

const pools = new ConnectionPools(() => undefined, { maxOrigins: 2, idleMs: 1_000 });

afterEach(() => pools.close());

describe('connection pools', () => {
  it('are limited in number; the least recently used one is closed', () => {
    const first = pools.forOrigin('http://a.example');
    const second = pools.forOrigin('http://b.example');
    expect(pools.forOrigin('http://a.example')).toBe(first);
    pools.forOrigin('http://c.example');
    expect(pools.size).toBe(2);
    expect(second.closed).toBe(true);
    expect(pools.forOrigin('http://a.example')).toBe(first);
    expect(first.closed).toBe(false);
  });
});
