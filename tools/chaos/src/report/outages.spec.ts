import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { LoggedFault } from '../run/fault-log.js';
import { findOutages } from './outages.js';

const kill: LoggedFault = {
  fault: 'kill-postgres',
  target: '',
  effect: 'killed',
  beganMs: 1_000,
  endedMs: 2_000,
  began: new Date(1_000),
  ended: new Date(2_000),
};
const times = fc.integer({ min: 0, max: 60_000 });
const attemptsOf = fc.array(
  fc
    .record({ beganMs: times, durationMs: times, result: fc.constantFrom(200, 409, 503, 'none' as const) })
    .map(({ beganMs, durationMs, result }) => ({ beganMs, endedMs: beganMs + durationMs, result })),
);
const crashesOf = fc.array(fc.tuple(times, times), { maxLength: 5 }).map((list) => {
  const bounds = list.flat().toSorted((one, other) => one - other);
  return list.map((_, index) => ({
    ...kill,
    beganMs: bounds[2 * index] ?? 0,
    endedMs: bounds[2 * index + 1] ?? 0,
  }));
});

describe('the outages of a run', () => {
  it('are the crashes of Postgres, with the requests until 5 s after the return and the first 200', () => {
    const attempts = [
      { beganMs: 0, endedMs: 900, result: 503 },
      { beganMs: 0, endedMs: 1_900, result: 503 },
      { beganMs: 1_100, endedMs: 1_200, result: 503 },
      { beganMs: 1_100, endedMs: 1_800, result: 'none' as const },
      { beganMs: 1_900, endedMs: 2_900, result: 200 },
      { beganMs: 2_100, endedMs: 2_600, result: 200 },
      { beganMs: 6_999, endedMs: 7_000, result: 200 },
      { beganMs: 7_000, endedMs: 7_900, result: 503 },
    ];
    expect(findOutages([kill, { ...kill, fault: 'cut-postgres' }], attempts)).toEqual([
      {
        beganMs: 1_000,
        endedMs: 2_000,
        waitsMs: [1_900, 100, 700, 1_000, 500, 1],
        failed: 3,
        servedAfterMs: 600,
      },
    ]);
  });

  it.each([
    ['that began after the first success', { beganMs: 2_700, endedMs: 9_000, result: 503 }],
    ['with a late success', { beganMs: 1_100, endedMs: 10_100, result: 200 }],
    ['with another answer', { beganMs: 1_100, endedMs: 10_100, result: 409 }],
  ])('include a slow request %s', (_, slow) => {
    const fast = { beganMs: 2_100, endedMs: 2_200, result: 200 };
    expect(findOutages([kill], [fast, slow])[0]?.waitsMs).toEqual([100, slow.endedMs - slow.beganMs]);
  });

  it.each([
    [3_000, undefined],
    [7_000, 5_500],
  ])('may overlap the next outage, which begins at %d ms', (beganMs, servedAfterMs) => {
    const next = { ...kill, beganMs, endedMs: beganMs + 100 };
    const attempts = [{ beganMs: 7_200, endedMs: 7_500, result: 200 }];
    expect(findOutages([kill, next], attempts)[0]?.servedAfterMs).toBe(servedAfterMs);
  });

  it.each([
    ['there is no request after the return', 1_900, undefined],
    ['no request after the return was served', 2_100, Infinity],
  ])('have this time until the first success if %s', (_, endedMs, servedAfterMs) => {
    const attempts = [{ beganMs: 1_500, endedMs, result: 503 }];
    expect(findOutages([kill], attempts)[0]?.servedAfterMs).toBe(servedAfterMs);
  });

  it('include the whole time of a request that was in flight at the next crash', () => {
    const next = { ...kill, beganMs: 5_000, endedMs: 6_000 };
    const attempts = [{ beganMs: 2_100, endedMs: 5_300, result: 503 }];
    expect(findOutages([kill, next], attempts).map(({ waitsMs }) => waitsMs)).toEqual([[3_200], []]);
  });

  it('count every request once, from its start to its answer, if it was in flight during a crash', () => {
    fc.assert(
      fc.property(crashesOf, attemptsOf, (crashes, attempts) => {
        const hit = attempts.filter((attempt) =>
          crashes.some(({ beganMs, endedMs }) => attempt.beganMs < endedMs && attempt.endedMs > beganMs),
        );
        const waits = findOutages(crashes, attempts).flatMap(({ waitsMs }) => waitsMs);
        expect(waits.length).toBeLessThanOrEqual(attempts.length);
        expect(waits).toEqual(expect.arrayContaining(hit.map(({ beganMs, endedMs }) => endedMs - beganMs)));
        expect(waits.length).toBeGreaterThanOrEqual(hit.length);
      }),
    );
  });
});
