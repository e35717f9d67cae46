import { describe, expect, it } from '@jest/globals';
import { StallCounter } from './stall-counter.js';

describe('StallCounter', () => {
  it('counts ticks without a heartbeat, and starts again with the next heartbeat', () => {
    const counter = new StallCounter(100);
    const heartbeats = [7, 7, 7, 8, 8];
    const counts = heartbeats.map((heartbeat, index) => counter.tick(heartbeat, index * 100, index * 100));
    expect(counts).toEqual([0, 1, 2, 0, 1]);
  });

  it('starts again after a pause of the whole process, however long it was', () => {
    const counter = new StallCounter(100);
    const times = [0, 100, 200, 3_600_200, 3_600_300];
    expect(times.map((now, index) => counter.tick(7, now, index * 100))).toEqual([0, 1, 2, 0, 1]);
  });

  it('still counts if its ticks are a little late', () => {
    const counter = new StallCounter(100);
    expect([0, 250, 650, 700].map((now) => counter.tick(7, now, now))).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['in full if the process was busy', 60, 3],
    ['in full if it waited without using the processor', 0, 3],
    ['in proportion if the machine had little time for it', 20, 0.6],
  ])('counts ticks %s', (_, cpuMsPerTick, expected) => {
    const counter = new StallCounter(100);
    const ticks = [0, 1, 2, 3].map((index) => counter.tick(7, index * 100, index * cpuMsPerTick));
    expect(ticks.at(-1)).toBeCloseTo(expected);
  });
});
