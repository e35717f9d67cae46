import { setTimeout as delay } from 'node:timers/promises';
import { type SqlFailure, sqlFailure, sqlState } from './sql-failure.js';

export interface SqlRetryPolicy {
  readonly maxAttempts: number;
  readonly isRetryable: (error: unknown) => boolean;
  /** @param attempt the one that failed, from 1 */
  readonly delayMs: (failure: SqlFailure, attempt: number) => number;
}

const maxDelayMs = 1_600;
const transient: ReadonlySet<SqlFailure> = new Set(['busy', 'conflict', 'unreachable', 'lost']);

/** Whether the same work may succeed later: a lock, a conflict, or a database that is unavailable. */
export const isTransient = (error: unknown): boolean => transient.has(sqlFailure(error));

/** Whether a row or table stayed locked for longer than `lock_timeout`, also if the error is wrapped. */
export const isLockTimeout = (error: unknown): boolean =>
  sqlState(error) === '55P03' || (error instanceof Error && sqlState(error.cause) === '55P03');

const defaultPolicy: SqlRetryPolicy = {
  maxAttempts: 8,
  isRetryable: isTransient,
  // A lock is free in a moment; a database that restarts is back after about two seconds.
  delayMs: (failure, attempt) =>
    failure === 'unreachable' || failure === 'lost'
      ? Math.min(maxDelayMs, 50 * 2 ** attempt) * (0.5 + Math.random() / 2)
      : 20 * attempt * (0.5 + Math.random()),
};

/** Retries at once after a lock timeout, and after nothing else: each attempt waits for `lock_timeout` itself. */
export const lockRetries: SqlRetryPolicy = { maxAttempts: 4, isRetryable: isLockTimeout, delayMs: () => 0 };

/**
 * Runs a statement or transaction again after a transient failure. It must be safe to repeat: if the connection broke,
 * the attempt before may have been committed.
 */
export async function retryTransient<T>(
  run: () => Promise<T>,
  policy: Partial<SqlRetryPolicy> = {},
): Promise<T> {
  const { maxAttempts, isRetryable, delayMs } = { ...defaultPolicy, ...policy };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (!isRetryable(error) || attempt >= maxAttempts) throw error;
      await delay(delayMs(sqlFailure(error), attempt));
    }
  }
}
