import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from './sql-failure.js';

const lockNotAvailable = '55P03';

export interface LockRetryPolicy {
  readonly mostRuns: number;
  readonly pauseMs: () => number;
}

/** A lock is waited for by its own `lock_timeout`; this is for how many of those. */
const brief: LockRetryPolicy = { mostRuns: 4, pauseMs: () => 0 };

/** What others hold for a moment is tried again: nothing was done by a run that did not get its locks. */
export async function retryWhileLocked<T>(
  run: () => Promise<T>,
  { mostRuns, pauseMs }: LockRetryPolicy = brief,
): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs >= mostRuns || !isHeldUp(error)) throw error;
      await pause(pauseMs());
    }
  }
}

const isHeldUp = (error: unknown): boolean =>
  sqlState(error) === lockNotAvailable ||
  (error instanceof Error && sqlState(error.cause) === lockNotAvailable);
