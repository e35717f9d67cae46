import { describe, expect, it } from '@jest/globals';
import type { LoggedFault } from '../run/fault-log.js';
import { timelineSvg } from './timeline-svg.js';

const fault: LoggedFault = {
  fault: 'kill-process',
  target: 'otp-1',
  effect: 'killed',
  beganMs: 500,
  endedMs: 510,
  began: new Date(0),
  ended: new Date(10),
};
const svg = timelineSvg({
  seed: 7,
  queue: 'redis',
  seconds: 2,
  settledAfterMs: 0,
  faults: [fault],
  perSecond: [{ 200: 3, 503: 1, none: 2 }, {}, { 500: 1, 402: 1, 429: 1 }],
});

describe('the timeline', () => {
  it('shows every attempt of a second under its colour, and every fault', () => {
    for (const title of [
      '3 × 2xx',
      '1 × 503',
      '2 × no response',
      '1 × other 5xx',
      '1 × other 4xx',
      '1 × 409, 429',
    ])
      expect(svg).toContain(`<title>${title}</title>`);
    expect(svg).toContain('Seed 7, queue on redis');
    expect(svg).toContain('kill-process otp-1</text>');
  });

  it('stacks the bars: the highest second fills the plot', () => {
    const heights = [...svg.matchAll(/height="([\d.]+)" fill="#[^"]+"><title>\d × (?:2xx|503|no response)/g)];
    expect(heights.map(([, height]) => Number(height)).reduce((sum, height) => sum + height)).toBeCloseTo(
      220,
      0,
    );
  });

  it('draws an empty run', () => {
    const empty = {
      seed: 1,
      queue: 'postgres',
      seconds: 1,
      settledAfterMs: 0,
      faults: [],
      perSecond: [],
    } as const;
    expect(timelineSvg(empty)).toContain('</svg>');
  });
});
