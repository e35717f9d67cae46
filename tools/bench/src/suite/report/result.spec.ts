import { describe, expect, it } from '@jest/globals';
import { summarizePairs, verdictOf } from './result.js';

const pairs = (ratios: readonly number[]) => ratios.map((ratio) => ({ value: 10 * ratio, beside: 10 }));

describe('the summary of a scenario', () => {
  it('has the median of the ratios of the rounds and their quartiles', () => {
    const rounds = [
      { value: 20, beside: 10 },
      { value: 300, beside: 100 },
      { value: 5, beside: 5 },
      { value: 40, beside: 10 },
      { value: 50, beside: 10 },
    ];
    expect(summarizePairs(rounds)).toEqual({ value: 40, beside: 10, result: 3, low: 2, high: 4 });
  });

  it('has the figures themselves if there is nothing to compare with', () => {
    expect(summarizePairs([{ value: 1 }, { value: 3 }])).toEqual({
      value: 2,
      result: 2,
      low: 1.5,
      high: 2.5,
    });
  });
});

describe('the verdict', () => {
  const summary = summarizePairs(pairs([1, 1.1, 1.2, 1.3, 1.4]));

  it.each([
    [{ atLeast: 1.2 }, 'holds'],
    [{ atLeast: 1.3 }, 'close'],
    [{ atLeast: 1.31 }, 'missed'],
    [{ atMost: 1.2 }, 'holds'],
    [{ atMost: 1.1 }, 'close'],
    [{ atMost: 1.09 }, 'missed'],
  ] as const)('with the bar %j is %s', (bar, verdict) => {
    expect(verdictOf(bar, summary)).toBe(verdict);
  });
});
