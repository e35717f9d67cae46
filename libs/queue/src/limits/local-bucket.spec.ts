import { describe, expect, it } from '@jest/globals';
import { LocalBucket } from './local-bucket.js';

const limit = { perSecond: 10, burst: 100 };

describe('LocalBucket', () => {
  it('is idle only while it is full and no caller waits', () => {
    const bucket = new LocalBucket('a', limit);
    expect(bucket.isIdle(0)).toBe(true);
    bucket.wait(() => undefined);
    expect(bucket.isIdle(0)).toBe(false);
    expect(bucket.request(0)).toEqual({ bucket: 'a', count: 1, limit });
    bucket.receive({ granted: 1, tokens: 70 }, 0);
    expect([0, 999, 2_999, 3_000].map((now) => bucket.isIdle(now))).toEqual([false, false, false, true]);
  });

  it('prefetches in proportion to the demand, up to a tenth of the burst', () => {
    const counts = [1, 5, 50].map((demand) => {
      const bucket = new LocalBucket('a', limit);
      bucket.request(0);
      for (let index = 0; index < demand; index += 1) bucket.takePrefetched(200);
      return bucket.request(200).count;
    });
    expect(counts).toEqual([0, 2, 10]);
  });

  it('discards what it has kept for a second', () => {
    const bucket = new LocalBucket('a', limit);
    bucket.receive({ granted: 3, tokens: 90 }, 0);
    expect(bucket.takePrefetched(999)).toMatchObject({ allowed: true });
    expect(bucket.takePrefetched(1_000)).toBeUndefined();
  });
});
