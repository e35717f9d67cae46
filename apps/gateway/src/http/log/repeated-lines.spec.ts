import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RepeatedLines } from './repeated-lines.js';

describe('repeated log lines', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are written a few times, and then counted, in each window of time', () => {
    const summaries: [string, number][] = [];
    const lines = new RepeatedLines((key, omitted) => summaries.push([key, omitted]));
    const written = Array.from({ length: 100 }, () => lines.add('::1')).filter(Boolean);
    expect(written).toHaveLength(5);
    expect(lines.add('::2')).toBe(true);
    expect(summaries).toEqual([]);
    jest.advanceTimersByTime(10_100);
    expect(summaries).toEqual([['::1', 95]]);
    expect(lines.add('::1')).toBe(true);
    lines.endWindow();
    expect(summaries).toHaveLength(1);
  });
});
