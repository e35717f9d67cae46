import { describe, expect, it } from '@jest/globals';
import { missedAims } from './aims.js';

describe('the aims of a run', () => {
  const outage = { beganMs: 0, endedMs: 1, waitsMs: [1, 2_000], failed: 1, servedAfterMs: 5_000 };

  it('are met within their limits', () => {
    expect(missedAims({ outages: [outage], settledAfterMs: 30_000 })).toEqual([]);
  });

  it('are missed beyond them', () => {
    const outages = [
      { ...outage, waitsMs: [2_100, 3], servedAfterMs: Infinity },
      { ...outage, servedAfterMs: 5_100 },
    ];
    expect(missedAims({ outages, settledAfterMs: 31_000 })).toEqual([
      'a request while Postgres was down or had just returned took 2.1 s, not 2.0 s',
      'no request succeeded after the return of Postgres',
      'the first success after the return of Postgres took 5.1 s, not 5.0 s',
      'everything was final after 31.0 s, not 30.0 s',
    ]);
  });
});
