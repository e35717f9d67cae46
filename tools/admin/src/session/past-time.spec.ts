import { describe, expect, it } from '@jest/globals';
import { pastTime } from './arguments.js';

describe('a time in the past', () => {
  it.each([
    ['2020-11-01', '2020-11-01T00:00:00.000Z'],
    ['2020-11-01T09:30:00+01:00', '2020-11-01T08:30:00.000Z'],
    ['2020-11-01T09:30', '2020-11-01T09:30:00.000Z'],
  ])('%s', (text, meant) => {
    expect(pastTime(text).toISOString()).toBe(meant);
  });

  it('may be a duration', () => {
    const [before, at, after] = [Date.now(), pastTime('6h').getTime(), Date.now()];
    expect(at).toBeGreaterThanOrEqual(before - 6 * 3_600_000);
    expect(at).toBeLessThanOrEqual(after - 6 * 3_600_000);
  });

  it.each(['', 'yesterday', '6', '6y', '2026-02-30', '9999-01-01'])('cannot be "%s"', (text) => {
    expect(() => pastTime(text)).toThrow(/Use a time ago|Use a time such as|future/);
  });
});
