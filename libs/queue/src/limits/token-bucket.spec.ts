import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TokenBucket } from './local-bucket.js';

const limits = fc.record({
  perSecond: fc.integer({ min: 1, max: 10_000 }),
  burst: fc.integer({ min: 1, max: 20_000 }),
});
const takes = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 5_000 }), count: fc.integer({ min: 0, max: 500 }) }),
  { minLength: 1, maxLength: 60 },
);

describe('TokenBucket', () => {
  it('never grants more than its burst and what was refilled, over any period', () => {
    fc.assert(
      fc.property(limits, takes, (limit, steps) => {
        const bucket = new TokenBucket();
        let now = 1_000;
        const given = steps.map(({ afterMs, count }) => {
          now += afterMs;
          return { at: now, granted: bucket.take(count, limit, now) };
        });
        given.forEach((first, from) => {
          let sum = 0;
          for (const { at, granted } of given.slice(from)) {
            sum += granted;
            expect(sum).toBeLessThanOrEqual(limit.burst + ((at - first.at) / 1_000) * limit.perSecond + 1e-6);
          }
        });
      }),
    );
  });

  it('grants everything it has, in whole tokens', () => {
    const limit = { perSecond: 10, burst: 5 };
    const bucket = new TokenBucket();
    expect(bucket.take(3, limit, 0)).toBe(3);
    expect(bucket.take(3, limit, 0)).toBe(2);
    expect(bucket.take(1, limit, 99)).toBe(0);
    expect(bucket.take(1, limit, 100)).toBe(1);
    expect(bucket.take(100, limit, 60_000)).toBe(5);
  });

  it('applies a changed limit', () => {
    const bucket = new TokenBucket();
    bucket.take(0, { perSecond: 10, burst: 100 }, 0);
    expect(bucket.take(100, { perSecond: 10, burst: 20 }, 0)).toBe(20);
  });
});
