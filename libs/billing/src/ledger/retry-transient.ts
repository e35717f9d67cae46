import { setTimeout as pause } from 'node:timers/promises';
import { type SqlFailure, sqlFailure } from '@gangan/database';

const mostRuns = 8;
const longestPauseMs = 1_000;

/**
 * Runs a transaction that moves money again when a lock, mostly that of a wallet, was in its way, or the database was
 * away for a moment. It must be safe to run again: when the connection broke, it may have been done.
 */
export async function retryTransient<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs >= mostRuns || !isTransient(error)) throw error;
      await pause(pauseMs(sqlFailure(error), runs));
    }
  }
}

/** There is nothing wrong with what was wanted: the same again may pass. */
export const isTransient = (error: unknown): boolean => passing.has(sqlFailure(error));

const passing: ReadonlySet<SqlFailure> = new Set(['busy', 'conflict', 'unreachable', 'lost']);

/** A lock is free in a moment; a database that restarts is back after some two seconds. */
const pauseMs = (failure: SqlFailure, runs: number): number => {
  const isAway = failure === 'unreachable' || failure === 'lost';
  return isAway
    ? Math.min(longestPauseMs, 50 * 2 ** runs) * (0.5 + Math.random() / 2)
    : 20 * runs * (0.5 + Math.random());
};
