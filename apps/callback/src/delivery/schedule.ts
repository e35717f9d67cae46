const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The pauses before the attempts; the first is made at once. */
export const pausesMs: readonly number[] = [
  0,
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** Pauses vary by as much either way, so that what failed together does not come again together. */
const spread = 0.2;

/**
 * After so many attempts in vain: how long until the next, or `undefined` when that was the last. A consumer may ask
 * for a longer pause, up to twice the planned one; a shorter one would use the attempts up before it is well again.
 */
export function pauseAfter(
  attempts: number,
  askedMs = 0,
  random: () => number = Math.random,
): number | undefined {
  const step = pausesMs[attempts];
  if (step === undefined) return undefined;
  const planned = step * (1 - spread + 2 * spread * random());
  return Math.round(Math.max(planned, Math.min(askedMs, 2 * step)));
}
