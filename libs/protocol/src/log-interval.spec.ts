import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { LogInterval } from './log-interval.js';

describe('LogInterval', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('lets one line a minute through for each key, and counts the others', () => {
    const lines = new LogInterval();
    expect([lines.take('a'), lines.take('a', 3), lines.take('b'), lines.isDue('a')]).toEqual([
      1,
      undefined,
      1,
      false,
    ]);
    jest.advanceTimersByTime(60_000);
    expect([lines.take('a', 2), lines.take('a'), lines.isDue('b')]).toEqual([6, undefined, true]);
  });
});
