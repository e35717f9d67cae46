import { describe, expect, it } from '@jest/globals';
import { median, quantile } from './statistics.js';

describe('statistics', () => {
  it('interpolate between the two nearest values', () => {
    expect(quantile([4, 1, 3, 2], 0.25)).toBe(1.75);
    expect(quantile([7], 0.75)).toBe(7);
    expect(median([3, 1, 200])).toBe(3);
    expect(median([1, 4, 2, 100])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('are infinite beyond the values that are known', () => {
    expect(quantile([1, Infinity, Infinity], 0.9)).toBe(Infinity);
    expect(quantile([1, 2, Infinity], 0.9)).toBe(Infinity);
  });
});
