import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { PollSchedule, RetrySchedule } from './retry-schedule.js';

const delays = [5_000, 300_000, 1_800_000];
const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const attempts = fc.integer({ min: 1, max: delays.length });
const requested = fc.integer({ min: 0, max: 10 ** 13 });

describe('RetrySchedule', () => {
  it('returns the delay after each attempt, and nothing after the last', () => {
    const schedule = new RetrySchedule(delays);
    expect([1, 2, 3, 4, 9].map((attempt) => schedule.delayAfter(attempt))).toEqual([
      ...delays,
      undefined,
      undefined,
    ]);
    expect([3, 4].map((attempt) => schedule.isLast(attempt))).toEqual([false, true]);
    expect(schedule.maxAttempts).toBe(4);
  });

  it('varies delays by the jitter either way, and uses all of it', () => {
    const delayAt = (chance: number) =>
      new RetrySchedule(delays, { jitter: 0.2, random: () => chance }).delayAfter(1);
    expect([0, 0.5, 1].map(delayAt)).toEqual([4_000, 5_000, 6_000]);
    fc.assert(
      fc.property(attempts, random, (attempt, chance) => {
        const delay = new RetrySchedule(delays, { jitter: 0.2, random: () => chance }).delayAfter(attempt);
        const planned = delays[attempt - 1] ?? NaN;
        expect(Math.abs((delay ?? NaN) - planned)).toBeLessThanOrEqual(0.2 * planned + 1);
      }),
    );
  });

  it('honours a longer requested delay, up to twice the planned one', () => {
    fc.assert(
      fc.property(attempts, random, requested, (attempt, chance, requestedMs) => {
        const schedule = new RetrySchedule(delays, { jitter: 0.2, random: () => chance });
        const planned = schedule.delayAfter(attempt) ?? NaN;
        const max = 2 * (delays[attempt - 1] ?? NaN);
        expect(schedule.delayAfter(attempt, requestedMs)).toBe(Math.max(planned, Math.min(requestedMs, max)));
      }),
    );
  });

  it('grows exponentially up to its bound', () => {
    const schedule = new RetrySchedule({ firstMs: 500, maxMs: 60_000, maxAttempts: 20 });
    expect([1, 2, 5, 8, 19, 20].map((attempt) => schedule.delayAfter(attempt))).toEqual([
      500,
      1_000,
      8_000,
      60_000,
      60_000,
      undefined,
    ]);
  });
});

describe('PollSchedule', () => {
  const hour = 3_600_000;
  const polls = new PollSchedule([5_000, 30_000, 120_000, 600_000, hour], 24 * hour);

  it('polls at its times, then at intervals of the last, and ends', () => {
    const times: number[] = [];
    let elapsed = 0;
    for (let next = polls.delayAfter(0); next !== undefined; next = polls.delayAfter(elapsed)) {
      elapsed += next;
      times.push(elapsed / 1_000);
    }
    expect(times.slice(0, 6)).toEqual([5, 30, 120, 600, 3_600, 7_200]);
    expect([times.length, times.at(-1)]).toEqual([4 + 24, 24 * 3_600]);
  });

  it('never polls in the past, nor after its end', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 30 * hour, noNaN: true }), (elapsed) => {
        const next = polls.delayAfter(elapsed);
        if (elapsed >= 24 * hour) expect(next).toBeUndefined();
        else expect(next).toBeGreaterThan(0);
        expect(elapsed + (next ?? 0)).toBeLessThanOrEqual(Math.max(elapsed, 24 * hour) + 1);
      }),
    );
  });
});
