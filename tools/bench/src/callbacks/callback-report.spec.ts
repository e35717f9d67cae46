import { describe, expect, it } from '@jest/globals';
import { halfOf, slowdown, verdictOf } from './callback-report.js';

const hundred = Array.from({ length: 100 }, (_, place) => 100 - place);

describe('a half of a round', () => {
  it('has a median and a p99', () => {
    expect(halfOf(hundred)).toEqual({ median: 50.5, p99: 99 });
    expect(halfOf([7])).toEqual({ median: 7, p99: 7 });
  });
});

describe('the comparison', () => {
  const round = (alone: number, beside: number) => ({
    alone: { median: alone, p99: 2 * alone },
    beside: { median: beside, p99: 2 * beside },
  });

  it('is made within each round', () => {
    expect(slowdown([round(10, 10), round(100, 110), round(10, 20)], 'median')).toBeCloseTo(1.1);
  });

  it('holds up to a tenth', () => {
    expect(verdictOf([round(100, 110)])).toMatchObject({ holds: true });
    expect(verdictOf([round(100, 111)])).toEqual({
      holds: false,
      line: 'healthy hosts beside hanging ones ÷ alone: median 1.11 ×, p99 1.11 ×',
    });
  });
});
