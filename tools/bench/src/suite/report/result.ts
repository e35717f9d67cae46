import type { Outcome, Scenario } from '../scenario.js';
import { type Summary, summarizePairs } from './statistics.js';
import { type Verdict, verdictOf } from './verdict.js';

/** A scenario with its outcome. */
export interface Measured {
  readonly scenario: Scenario;
  readonly outcome: Outcome;
}

/** The same with where it was measured. */
export interface Result extends Measured {
  readonly machine: Machine;
}

export interface Machine {
  /** The day. */
  readonly date: string;
  /** Of the repository, if it is known. */
  readonly commit?: string;
  readonly cores: number;
  readonly arch: string;
  readonly node: string;
  readonly generator: 'wrk' | 'own';
  /** The load of the last minute before the run: figures of a busy machine say little. */
  readonly busy: number;
}

export type Judgement =
  | { readonly summary: Summary; readonly verdict: Verdict }
  | { readonly verdict: 'skipped' | 'failed'; readonly reason: string };

export function judge({ scenario, outcome }: Measured): Judgement {
  if ('skipped' in outcome) return { verdict: 'skipped', reason: outcome.skipped };
  if ('failed' in outcome) return { verdict: 'failed', reason: outcome.failed };
  const summary = summarizePairs(outcome.pairs);
  return { summary, verdict: verdictOf(scenario.bar, summary) };
}
