import type { Bar } from '../scenario.js';
import type { Summary } from './statistics.js';

/**
 * `close`: the median misses the bar, but the bar lies within the spread, so the run does not show that it is missed.
 * `open`: there is no bar.
 */
export type Verdict = 'holds' | 'close' | 'missed' | 'open';

export function verdictOf(bar: Bar | undefined, { result, low, high }: Summary): Verdict {
  if (!bar) return 'open';
  const reaches = (value: number): boolean => ('atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost);
  if (reaches(result)) return 'holds';
  return reaches(low) || reaches(high) ? 'close' : 'missed';
}

/** How many times the bar is reached: 1 is exactly, more is better. A growth below 0 is the best. */
export const scoreOf = (bar: Bar, result: number): number =>
  'atLeast' in bar ? result / bar.atLeast : bar.atMost / Math.max(0, result);
