import { RetrySchedule } from '@gangan/leases';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { retryDelaysMs } from './outcome.js';

const seconds = (...times: readonly number[]): number[] => times.map((time) => time * 1_000);
const delayAfter = (attempts: number, requestedMs?: number, random = () => 0.5): number | undefined =>
  new RetrySchedule(retryDelaysMs, { jitter: 0.2, random }).delayAfter(attempts, requestedMs);
const attempts = fc.integer({ min: 1, max: retryDelaysMs.length });
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const requested = fc.oneof(fc.constant(undefined), fc.integer({ min: 0, max: 10 ** 13 }));

describe('the retry schedule', () => {
  it('retries after 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h', () => {
    expect(retryDelaysMs).toEqual(seconds(5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400));
  });

  it('varies each delay by at most a fifth', () => {
    fc.assert(
      fc.property(attempts, random, (made, chance) => {
        const step = retryDelaysMs[made - 1] ?? 0;
        const delay = delayAfter(made, undefined, () => chance) ?? NaN;
        expect(delay).toBeGreaterThanOrEqual(0.8 * step);
        expect(delay).toBeLessThanOrEqual(1.2 * step);
      }),
    );
  });

  it('uses the whole range', () => {
    expect(delayAfter(1, undefined, () => 0)).toBe(4_000);
    expect(delayAfter(1, undefined, () => 0.5)).toBe(5_000);
    expect(delayAfter(1, undefined, () => 1)).toBe(6_000);
  });

  it('waits as long as requested, up to twice the planned delay', () => {
    fc.assert(
      fc.property(attempts, random, requested, (made, chance, requestedMs) => {
        const step = retryDelaysMs[made - 1] ?? 0;
        const planned = delayAfter(made, undefined, () => chance) ?? NaN;
        const delay = delayAfter(made, requestedMs, () => chance) ?? NaN;
        expect(delay).toBe(Math.max(planned, Math.min(requestedMs ?? 0, 2 * step)));
      }),
    );
  });

  it('ends after the last attempt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: retryDelaysMs.length + 1, max: 1_000 }),
        requested,
        (made, requestedMs) => {
          expect(delayAfter(made, requestedMs)).toBeUndefined();
        },
      ),
    );
  });
});
