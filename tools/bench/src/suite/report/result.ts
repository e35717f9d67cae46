import { median, quantile } from '../../statistics.js';
import type { Bar, Outcome, Pair, Scenario } from '../scenario.js';

/** A scenario with its outcome. */
export interface Measured {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** `close`: the median misses the bar, but the bar lies within the spread, so the run does not show that it is missed. */
type Verdict = 'holds' | 'close' | 'missed';

export type Judgement =
  | { readonly verdict: Verdict; readonly summary: ReturnType<typeof summarizePairs> }
  | { readonly verdict: 'skipped' | 'failed'; readonly reason: string };

export function judge({ scenario, outcome }: Measured): Judgement {
  if ('skipped' in outcome) return { verdict: 'skipped', reason: outcome.skipped };
  if ('failed' in outcome) return { verdict: 'failed', reason: outcome.failed };
  const summary = summarizePairs(outcome.pairs);
  return { verdict: verdictOf(scenario.bar, summary), summary };
}

/**
 * `value` and `beside` are the medians of the figures. `result` is the median of the ratios of the rounds, whose sides share
 * the noise, or of the figures if there is nothing beside them; `low` and `high`, the spread, are its quartiles.
 */
export function summarizePairs(pairs: readonly Pair[]) {
  const results = pairs.map(({ value, beside = 1 }) => value / beside);
  const besides = pairs.flatMap(({ beside }) => beside ?? []);
  return {
    value: median(pairs.map(({ value }) => value)),
    ...(besides.length > 0 && { beside: median(besides) }),
    result: median(results),
    low: quantile(results, 0.25),
    high: quantile(results, 0.75),
  };
}

export function verdictOf(
  bar: Bar,
  { result, low, high }: Readonly<Record<'result' | 'low' | 'high', number>>,
): Verdict {
  const reaches = (value: number): boolean => ('atLeast' in bar ? value >= bar.atLeast : value <= bar.atMost);
  if (reaches(result)) return 'holds';
  return reaches(low) || reaches(high) ? 'close' : 'missed';
}
