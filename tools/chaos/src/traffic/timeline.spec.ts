import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Timeline } from './timeline.js';

describe('the timeline', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('knows the median, the 99th percentile and the longest of the response times', () => {
    const timeline = new Timeline();
    expect(timeline.responseTimes()).toEqual({ medianMs: 0, p99Ms: 0, longestMs: 0 });
    for (let ms = 1; ms <= 200; ms += 1) {
      const beganMs = timeline.elapsed();
      jest.advanceTimersByTime(ms);
      timeline.add(beganMs, 200);
    }
    expect(timeline.responseTimes()).toEqual({ medianMs: 100, p99Ms: 198, longestMs: 200 });
  });
});
