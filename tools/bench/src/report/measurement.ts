import type { LoadResult } from '../load/run-load.js';
import type { Variant } from '../ways/variants.js';

/** A variant under one load in one round. */
export interface Measurement extends LoadResult {
  readonly variant: Variant;
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

/** All rounds of a variant under one load. */
export const roundsOf = (
  measurements: readonly Measurement[],
  { way, broker }: Variant,
  connections: number,
): Measurement[] =>
  measurements.filter(
    (one) => one.variant.way === way && one.variant.broker === broker && one.connections === connections,
  );

/** How many times as fast one was as the other: the median of the ratios of the rounds, which share the noise. */
export function ratio(
  measurements: readonly Measurement[],
  one: Variant,
  other: Variant,
  connections: number,
): number {
  const others = roundsOf(measurements, other, connections);
  const ratios = roundsOf(measurements, one, connections).flatMap(({ round, perSecond }) =>
    others.filter((pair) => pair.round === round).map((pair) => perSecond / pair.perSecond),
  );
  return median(ratios);
}
