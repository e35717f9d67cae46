import { describe, expect, it } from '@jest/globals';
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

describe('the outages of a run', () => {
  it('are the crashes of Postgres, with the failures meanwhile and the first 200 afterwards', () => {
    const attempts = [
      { beganMs: 0, endedMs: 900, result: 503 },
      { beganMs: 0, endedMs: 1_900, result: 503 },
      { beganMs: 1_100, endedMs: 1_200, result: 503 },
      { beganMs: 1_100, endedMs: 1_800, result: 'none' as const },
      { beganMs: 1_900, endedMs: 2_900, result: 200 },
      { beganMs: 2_100, endedMs: 2_600, result: 200 },
      { beganMs: 2_500, endedMs: 2_700, result: 503 },
      { beganMs: 2_700, endedMs: 9_000, result: 503 },
    ];
    expect(findOutages([kill, { ...kill, fault: 'cut-postgres' }], attempts)).toEqual([
      { beganMs: 1_000, endedMs: 2_000, waitsMs: [900, 100, 700, 200], servedAfterMs: 600 },
    ]);
  });

  it.each([
    [3_000, undefined],
    [7_000, 5_500],
  ])('need not be over if the next begins soon, at %d ms', (beganMs, servedAfterMs) => {
    const next = { ...kill, beganMs, endedMs: beganMs + 100 };
    const attempts = [{ beganMs: 7_200, endedMs: 7_500, result: 200 }];
    expect(findOutages([kill, next], attempts)[0]?.servedAfterMs).toBe(servedAfterMs);
  });

  it('do not include failures of the next crash', () => {
    const next = { ...kill, beganMs: 5_000, endedMs: 6_000 };
    // Began when Postgres was back, and was in flight when it crashed again.
    const attempts = [{ beganMs: 2_100, endedMs: 5_300, result: 503 }];
    expect(findOutages([kill, next], attempts).map(({ waitsMs }) => waitsMs)).toEqual([[], [300]]);
  });

  it('begin when the crash before is over', () => {
    const waiting = { ...kill, beganMs: 1_500, endedMs: 4_000 };
    expect(findOutages([kill, waiting], []).map(({ beganMs }) => beganMs)).toEqual([1_000, 2_000]);
  });
});
