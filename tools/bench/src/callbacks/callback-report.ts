import { median } from '../report/measurement.js';

export interface Half {
  readonly median: number;
  readonly p99: number;
}

/** Both systems in the same seconds. */
export interface CallbackRound {
  readonly alone: Half;
  readonly beside: Half;
}

export function halfOf(milliseconds: readonly number[]): Half {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  return { median: median(sorted), p99: sorted[Math.ceil(sorted.length * 0.99) - 1] ?? NaN };
}

/** Round by round, because the two of a round share the noise; of those the median. */
export const slowdown = (rounds: readonly CallbackRound[], of: keyof Half): number =>
  median(rounds.map(({ alone, beside }) => beside[of] / alone[of]));

const most = 1.1;

export function verdictOf(rounds: readonly CallbackRound[]): {
  readonly line: string;
  readonly holds: boolean;
} {
  const ratios = [slowdown(rounds, 'median'), slowdown(rounds, 'p99')] as const;
  return {
    line: `healthy hosts beside hanging ones ÷ alone: median ${ratios[0].toFixed(2)} ×, p99 ${ratios[1].toFixed(2)} ×`,
    holds: ratios.every((ratio) => ratio <= most),
  };
}
