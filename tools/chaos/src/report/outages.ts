import type { LoggedFault } from '../run/fault-log.js';
import type { TimedAttempt } from '../traffic/timeline.js';

/** What clients saw of a crash of Postgres. */
export interface Outage {
  readonly beganMs: number;
  /** When Postgres accepted connections again. */
  readonly endedMs: number;
  /**
   * For each request that was in flight at the crash, or began before one was served again, and that failed before the
   * next crash: the time from the request, or from the crash, to the response.
   */
  readonly waitsMs: readonly number[];
  /** From the return of Postgres to the first request that was served; absent if it soon crashed again before, infinite if none was. */
  readonly servedAfterMs?: number;
}

/** A crash that comes sooner after the return leaves no time to be served. */
const recoveryMs = 5_000;

export function findOutages(faults: readonly LoggedFault[], attempts: readonly TimedAttempt[]): Outage[] {
  const crashes = faults
    .filter(({ fault }) => fault === 'kill-postgres')
    .toSorted((one, other) => one.endedMs - other.endedMs);
  return crashes.map(({ beganMs: planned, endedMs }, index) => {
    // Crashes wait for each other.
    const beganMs = Math.max(planned, crashes[index - 1]?.endedMs ?? 0);
    const next = crashes[index + 1];
    const nextMs = next ? Math.max(next.beganMs, endedMs) : Infinity;
    const served = attempts.filter((attempt) => attempt.result === 200 && attempt.endedMs >= endedMs);
    const servedMs = served.reduce((earliest, attempt) => Math.min(earliest, attempt.endedMs), Infinity);
    const failed = attempts.filter(
      ({ result, ...attempt }) =>
        (result === 503 || result === 'none') &&
        attempt.endedMs > beganMs &&
        attempt.endedMs <= nextMs &&
        attempt.beganMs < Math.min(servedMs, nextMs),
    );
    const crashedAgain = nextMs < servedMs && nextMs < endedMs + recoveryMs;
    return {
      beganMs,
      endedMs,
      waitsMs: failed.map((attempt) => attempt.endedMs - Math.max(attempt.beganMs, beganMs)),
      ...(!crashedAgain && { servedAfterMs: servedMs - endedMs }),
    };
  });
}
