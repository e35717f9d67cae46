import { afterEach, describe, expect, it } from '@jest/globals';
import { EventLoopWatch } from './event-loop-watch.js';

describe('EventLoopWatch', () => {
  const watch = new EventLoopWatch(30_000);
  afterEach(() => {
    watch.stop();
  });

  it('remembers a stall for a while', () => {
    const now = performance.now();
    expect(watch.maxLagMs(now)).toBe(0);
    const afterStall = now + 12_500;
    expect(watch.maxLagMs(afterStall)).toBeCloseTo(12_000, -1);
    expect(watch.maxLagMs(afterStall + 400)).toBeCloseTo(12_000, -1);
    expect(watch.maxLagMs(afterStall + 500)).toBeCloseTo(12_000, -1);
    for (let later = 500; later < 30_500; later += 500) watch.maxLagMs(afterStall + later);
    expect(watch.maxLagMs(afterStall + 30_500)).toBe(0);
  });
});
