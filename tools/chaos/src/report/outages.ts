import type { LoggedFault } from '../run/fault-log.js';
import type { TimedAttempt } from '../traffic/timeline.js';

/** What clients saw of a crash of Postgres. */
export interface Outage {
  readonly beganMs: number;
  /** When Postgres accepted connections again. */
  readonly endedMs: number;
  /**
   * How long each request took that was in flight at the crash, or began after it and less than 5 s after the return,
   * whatever its result. A request that two crashes hit belongs to the first.
   */
  readonly waitsMs: readonly number[];
  /** How many of these requests got a 503 or no response. */
  readonly failed: number;
  /** From the return of Postgres to the first request that was served; absent if it soon crashed again before, or no request followed; infinite if none was served. */
  readonly servedAfterMs?: number;
}

/** A crash that comes sooner after the return leaves no time to be served. Until then requests may still be slow. */
export const recoveryMs = 5_000;

export function findOutages(faults: readonly LoggedFault[], attempts: readonly TimedAttempt[]): Outage[] {
  const crashes = faults
    .filter(({ fault }) => fault === 'kill-postgres')
    .toSorted((one, other) => one.endedMs - other.endedMs);
  let fromMs = -Infinity;
  return crashes.map(({ beganMs, endedMs }, index) => {
    const nextMs = crashes[index + 1]?.beganMs ?? Infinity;
    const untilMs = Math.min(endedMs + recoveryMs, nextMs);
    const affected = attempts.filter(
      (attempt) => attempt.endedMs > beganMs && attempt.beganMs >= fromMs && attempt.beganMs < untilMs,
    );
    fromMs = untilMs;
    const later = attempts.filter((attempt) => attempt.endedMs >= endedMs);
    const servedMs = later.reduce(
      (earliest, attempt) => (attempt.result === 200 ? Math.min(earliest, attempt.endedMs) : earliest),
      Infinity,
    );
    const crashedAgain = nextMs < servedMs && nextMs < endedMs + recoveryMs;
    return {
      beganMs,
      endedMs,
      waitsMs: affected.map((attempt) => attempt.endedMs - attempt.beganMs),
      failed: affected.filter(({ result }) => result === 503 || result === 'none').length,
      ...(!crashedAgain && later.length > 0 && { servedAfterMs: servedMs - endedMs }),
    };
  });
}
