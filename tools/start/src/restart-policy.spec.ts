import { describe, expect, it } from '@jest/globals';
import { RestartPolicy } from './restart-policy.js';

describe('the pause before a restart', () => {
  it('grows to half a minute', () => {
    const policy = new RestartPolicy();
    const pauses = Array.from({ length: 10 }, () => policy.pauseAfter(0));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is short again after a good run', () => {
    const policy = new RestartPolicy();
    for (let crash = 0; crash < 6; crash += 1) policy.pauseAfter(1_000);
    expect(policy.pauseAfter(90_000)).toBe(250);
    expect(policy.pauseAfter(1_000)).toBe(500);
  });
});
