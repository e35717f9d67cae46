import { median } from '../../report/measurement.js';
import type { Pair } from '../scenario.js';

/** The result of a scenario. */
export interface Summary {
  /** The medians of the figures. */
  readonly value: number;
  readonly beside?: number;
  /** The median of the ratios of the rounds, whose sides share the noise; without a comparison, of the figures. */
  readonly result: number;
  /** The spread: the lower and the upper quartile of the same. */
  readonly low: number;
  readonly high: number;
}

/** Interpolates linearly between the two nearest values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const position = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(position)] ?? NaN, sorted[Math.ceil(position)] ?? NaN];
  return below + (above - below) * (position - Math.floor(position));
}

export function summarizePairs(pairs: readonly Pair[]): Summary {
  const results = pairs.map(({ value, beside }) => (beside === undefined ? value : value / beside));
  const besides = pairs.flatMap(({ beside }) => beside ?? []);
  return {
    value: median(pairs.map(({ value }) => value)),
    ...(besides.length > 0 && { beside: median(besides) }),
    result: median(results),
    low: quantile(results, 0.25),
    high: quantile(results, 0.75),
  };
}
