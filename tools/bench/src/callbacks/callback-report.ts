import { median } from '../report/measurement.js';

export interface LatencySummary {
  readonly median: number;
  readonly p99: number;
}

/** Both systems, measured at the same time. */
export interface CallbackRound {
  readonly alone: LatencySummary;
  readonly beside: LatencySummary;
}

export function summarize(milliseconds: readonly number[]): LatencySummary {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  return { median: median(sorted), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN };
}

/** The median of the ratios of the rounds: both systems of a round share the noise. */
export const slowdown = (rounds: readonly CallbackRound[], of: keyof LatencySummary): number =>
  median(rounds.map(({ alone, beside }) => beside[of] / alone[of]));

const maxRatio = 1.1;

export function compareRounds(rounds: readonly CallbackRound[]): {
  readonly line: string;
  readonly holds: boolean;
} {
  const ratios = [slowdown(rounds, 'median'), slowdown(rounds, 'p99')] as const;
  return {
    line: `healthy hosts with hanging ones ÷ without: median ${ratios[0].toFixed(2)} ×, p99 ${ratios[1].toFixed(2)} ×`,
    holds: ratios.every((ratio) => ratio <= maxRatio),
  };
}
