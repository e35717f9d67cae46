import { median, quantile } from '../../statistics.js';
import type { Bar, Outcome, Pair, Scenario } from '../scenario.js';

/** A scenario with its outcome. */
export interface Measured {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** The result of a scenario. */
interface Summary {
  /** The medians of the figures. */
  readonly value: number;
  readonly beside?: number;
  /** The median of the ratios of the rounds, whose sides share the noise; without a comparison, of the figures. */
  readonly result: number;
  /** The spread: the lower and the upper quartile of the same. */
  readonly low: number;
  readonly high: number;
}

/** `close`: the median misses the bar, but the bar lies within the spread, so the run does not show that it is missed. */
type Verdict = 'holds' | 'close' | 'missed';

export type Judgement =
  | { readonly summary: Summary; readonly verdict: Verdict }
  | { readonly verdict: 'skipped' | 'failed'; readonly reason: string };

export function judge({ scenario, outcome }: Measured): Judgement {
  if ('skipped' in outcome) return { verdict: 'skipped', reason: outcome.skipped };
  if ('failed' in outcome) return { verdict: 'failed', reason: outcome.failed };
  const summary = summarizePairs(outcome.pairs);
  return { summary, verdict: verdictOf(scenario.bar, summary) };
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

export function verdictOf(bar: Bar, { result, low, high }: Summary): Verdict {
  const reaches = (value: number): boolean => ('atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost);
  if (reaches(result)) return 'holds';
  return reaches(low) || reaches(high) ? 'close' : 'missed';
}
