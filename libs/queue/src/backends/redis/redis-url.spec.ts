import { describe, expect, it } from '@jest/globals';
import { readRedisUrl } from './redis-url.js';

describe('REDIS_URL', () => {
  it.each([
    ['redis://localhost', { host: 'localhost', port: 6379 }],
    ['redis://:p%40ss@10.0.0.1:6380/2', { host: '10.0.0.1', port: 6380, db: 2, password: 'p@ss' }],
    [
      'redis://app:secret@redis.internal',
      { host: 'redis.internal', port: 6379, username: 'app', password: 'secret' },
    ],
    ['rediss://[::1]:7000', { host: '::1', port: 7000, tls: {} }],
  ])('names one server: %s', (url, options) => {
    expect(readRedisUrl(url)).toEqual({ mode: 'single', options });
  });

  it('names sentinels and their master', () => {
    expect(readRedisUrl('redis-sentinel://:pw@s1,s2:26380/orders/1')).toEqual({
      mode: 'sentinel',
      options: {
        password: 'pw',
        sentinels: [
          { host: 's1', port: 26379 },
          { host: 's2', port: 26380 },
        ],
        name: 'orders',
        db: 1,
      },
    });
    expect(readRedisUrl('rediss-sentinel://s1/m').options).toMatchObject({
      tls: {},
      enableTLSForSentinelMode: true,
    });
  });

  it('names a cluster', () => {
    expect(readRedisUrl('rediss-cluster://u:p@a:1,b:2,c')).toEqual({
      mode: 'cluster',
      nodes: [
        { host: 'a', port: 1 },
        { host: 'b', port: 2 },
        { host: 'c', port: 6379 },
      ],
      options: { username: 'u', password: 'p', tls: {} },
    });
  });

  it.each(['localhost:6379', 'http://x', 'redis://', ''])('is rejected with examples if it is %j', (url) => {
    expect(() => readRedisUrl(url)).toThrow('redis://host:6379');
  });
});
