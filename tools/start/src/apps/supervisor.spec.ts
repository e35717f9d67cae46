import { describe, expect, it } from '@jest/globals';
import { countCrash, restartDelayMs } from './supervisor.js';

describe('the delay before a restart', () => {
  it('grows to half a minute', () => {
    const delays = Array.from({ length: 10 }, (_, crashes) => restartDelayMs(countCrash(crashes, 0)));
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is short again after a run of some time', () => {
    expect(restartDelayMs(countCrash(6, 90_000))).toBe(250);
    expect(restartDelayMs(countCrash(1, 1_000))).toBe(500);
  });
});
