import type { LoggedFault } from '../run/fault-log.js';
import type { TimedAttempt } from '../traffic/timeline.js';

/** What clients saw of a crash of Postgres. */
export interface Outage {
  readonly beganMs: number;
  /** When Postgres accepted connections again. */
  readonly endedMs: number;
  /** The longest time that a request took which began meanwhile and was answered. */
  readonly slowestMs: number;
  /** From the return of Postgres to the first request that was served. */
  readonly servedAfterMs: number;
}

export const findOutages = (faults: readonly LoggedFault[], attempts: readonly TimedAttempt[]): Outage[] =>
  faults
    .filter(({ fault }) => fault === 'kill-postgres')
    .map(({ beganMs, endedMs }) => {
      const answered = attempts.filter(
        (attempt) => attempt.result === 503 && attempt.beganMs >= beganMs && attempt.beganMs <= endedMs,
      );
      const served = attempts.filter((attempt) => attempt.result === 200 && attempt.endedMs >= endedMs);
      return {
        ...{ beganMs, endedMs },
        slowestMs: Math.max(0, ...answered.map((attempt) => attempt.endedMs - attempt.beganMs)),
        servedAfterMs: Math.min(Infinity, ...served.map((attempt) => attempt.endedMs - endedMs)),
      };
    });
