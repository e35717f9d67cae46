import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pauseAfter, pausesMs } from './schedule.js';

const seconds = (...times: readonly number[]): number[] => times.map((time) => time * 1_000);
const attempts = fc.integer({ min: 1, max: pausesMs.length - 1 });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const asked = fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 10 ** 13 }));

describe('the schedule', () => {
  it('is at once, then after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
    expect(pausesMs).toEqual(seconds(0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400));
  });

  it('keeps to the pause, give or take a fifth', () => {
    fc.assert(
      fc.property(attempts, random, (made, chance) => {
        const step = pausesMs[made] ?? 0;
        const pause = pauseAfter(made, undefined, () => chance) ?? NaN;
        expect(pause).toBeGreaterThanOrEqual(0.8 * step);
        expect(pause).toBeLessThanOrEqual(1.2 * step);
      }),
    );
  });

  it('uses all of that fifth either way', () => {
    expect(pauseAfter(1, undefined, () => 0)).toBe(4_000);
    expect(pauseAfter(1, undefined, () => 0.5)).toBe(5_000);
    expect(pauseAfter(1, undefined, () => 1)).toBe(6_000);
  });

  it('waits as long as it is asked to, up to twice the pause, and never less than planned', () => {
    fc.assert(
      fc.property(attempts, random, asked, (made, chance, wish) => {
        const step = pausesMs[made] ?? 0;
        const planned = pauseAfter(made, undefined, () => chance) ?? NaN;
        const pause = pauseAfter(made, wish, () => chance) ?? NaN;
        expect(pause).toBe(Math.max(planned, Math.min(wish ?? 0, 2 * step)));
      }),
    );
  });

  it('ends after the last', () => {
    fc.assert(
      fc.property(fc.integer({ min: pausesMs.length, max: 1_000 }), asked, (made, wish) => {
        expect(pauseAfter(made, wish)).toBeUndefined();
      }),
    );
  });
});
