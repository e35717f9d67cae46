import { describe, expect, it } from '@jest/globals';
import type { WayName } from '../ways/variants.js';
import { type Measurement, median, ratio } from './measurement.js';

const measured = (way: WayName, round: number, perSecond: number): Measurement => ({
  variant: { way },
  connections: 64,
  round,
  perSecond,
  succeeded: 0,
  others: {},
  unanswered: 0,
  p50: 0,
  p99: 0,
  gatewayCpu: 0,
  workerCpu: 0,
});

describe('median', () => {
  it('is the middle value, or the mean of the two middle values', () => {
    expect(median([3, 1, 200])).toBe(3);
    expect(median([1, 4, 2, 100])).toBe(3);
    expect(median([])).toBeNaN();
  });
});

describe('ratio', () => {
  it('compares measurements of the same round', () => {
    const measurements = [
      measured('transport', 1, 400),
      measured('direct', 1, 100),
      measured('transport', 2, 40),
      measured('direct', 2, 10),
      measured('transport', 3, 900),
      measured('direct', 3, 100),
    ];
    expect(ratio(measurements, { way: 'transport' }, { way: 'direct' }, 64)).toBe(4);
    expect(ratio(measurements, { way: 'transport' }, { way: 'one-job' }, 64)).toBeNaN();
    expect(ratio(measurements, { way: 'transport' }, { way: 'direct' }, 1)).toBeNaN();
  });
});
