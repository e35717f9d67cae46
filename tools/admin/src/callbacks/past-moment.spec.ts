import { describe, expect, it } from '@jest/globals';
import { pastMoment } from './past-moment.js';

describe('a moment gone by', () => {
  it.each([
    ['2020-11-01', '2020-11-01T00:00:00.000Z'],
    ['2020-11-01T09:30:00+01:00', '2020-11-01T08:30:00.000Z'],
    ['2020-11-01T09:30', '2020-11-01T09:30:00.000Z'],
  ])('%s', (text, meant) => {
    expect(pastMoment(text).toISOString()).toBe(meant);
  });

  it('may be told as how long ago it is', () => {
    const [before, at, after] = [Date.now(), pastMoment('6h').getTime(), Date.now()];
    expect(at).toBeGreaterThanOrEqual(before - 6 * 3_600_000);
    expect(at).toBeLessThanOrEqual(after - 6 * 3_600_000);
  });

  it.each(['', 'yesterday', '6', '6y', '2026-02-30', '9999-01-01'])('is not "%s"', (text) => {
    expect(() => pastMoment(text)).toThrow(/Write how long ago|future/);
  });
});
