import { describe, expect, it } from '@jest/globals';
import type { LoggedFault } from '../run/fault-log.js';
import { findOutages } from './outages.js';

const kill: LoggedFault = {
  ...{
    fault: 'kill-postgres',
    target: '',
    effect: 'killed',
    atMs: 1_000,
    durationMs: 500,
    beganMs: 1_000,
    endedMs: 2_000,
  },
  ...{ began: new Date(1_000), ended: new Date(2_000) },
};

describe('the outages of a run', () => {
  it('are the crashes of Postgres, with the slowest 503 meanwhile and the first 200 afterwards', () => {
    const attempts = [
      { beganMs: 0, endedMs: 1_900, result: 200 },
      { beganMs: 1_100, endedMs: 1_200, result: 503 },
      { beganMs: 1_100, endedMs: 1_800, result: 503 },
      { beganMs: 1_900, endedMs: 2_900, result: 200 },
      { beganMs: 2_100, endedMs: 2_600, result: 200 },
      { beganMs: 2_100, endedMs: 9_000, result: 503 },
    ];
    expect(findOutages([kill, { ...kill, fault: 'cut-postgres' }], attempts)).toEqual([
      { beganMs: 1_000, endedMs: 2_000, slowestMs: 700, servedAfterMs: 600 },
    ]);
  });
});
