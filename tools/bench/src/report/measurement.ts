import type { LoadResult } from '../load/run-load.js';
import type { Contestant } from '../ways/contestants.js';

/** One contestant under one load in one round. */
export interface Measurement extends LoadResult {
  readonly contestant: Contestant;
  readonly connections: number;
  readonly round: number;
  /** Microseconds of processor time per request, of the gateway and of the worker. */
  readonly gatewayCpu: number;
  readonly workerCpu: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}

/** All rounds of a contestant under a load. */
export const roundsOf = (
  measurements: readonly Measurement[],
  { way, broker }: Contestant,
  connections: number,
): Measurement[] =>
  measurements.filter(
    (one) =>
      one.contestant.way === way && one.contestant.broker === broker && one.connections === connections,
  );

/** How many times as fast one was as the other. Rounds are compared pair by pair: neighbours in time share the noise. */
export function ratio(
  measurements: readonly Measurement[],
  one: Contestant,
  other: Contestant,
  connections: number,
): number {
  const others = roundsOf(measurements, other, connections);
  const ratios = roundsOf(measurements, one, connections).flatMap(({ round, perSecond }) =>
    others.filter((pair) => pair.round === round).map((pair) => perSecond / pair.perSecond),
  );
  return median(ratios);
}
