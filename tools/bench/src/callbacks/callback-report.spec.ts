import { describe, expect, it } from '@jest/globals';
import { summarize, slowdown, compareRounds } from './callback-report.js';

const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);

describe('a latency summary', () => {
  it('has a median and a p99', () => {
    expect(summarize(hundred)).toEqual({ median: 50.5, p99: 99 });
    expect(summarize([7])).toEqual({ median: 7, p99: 7 });
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

  it('holds up to 10 %', () => {
    expect(compareRounds([round(100, 110)])).toMatchObject({ holds: true });
    expect(compareRounds([round(100, 111)])).toEqual({
      holds: false,
      line: 'healthy hosts with hanging ones ÷ without: median 1.11 ×, p99 1.11 ×',
    });
  });
});
