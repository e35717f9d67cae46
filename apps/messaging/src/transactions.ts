import { type LockRetryPolicy, retryWhileLocked } from '@gangan/database';

/** Each run waits for the lock for 200 ms; with the pauses, some three seconds in all. */
const patience: LockRetryPolicy = { mostRuns: 10, pauseMs: () => 50 + 100 * Math.random() };

/**
 * A wallet is waited for briefly, so that its organisation holds no strangers. Whoever it belongs to may wait longer:
 * many large messages at once keep it busy for a while.
 */
export const whenWalletIsFree = <T>(attempt: () => Promise<T>): Promise<T> =>
  retryWhileLocked(attempt, patience);
