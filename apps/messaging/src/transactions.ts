import { lockRetries, retryTransient, type SqlRetryPolicy } from '@gangan/database';

/** Each attempt waits for the lock for 200 ms; with the delays, about three seconds in all. */
const policy: SqlRetryPolicy = { ...lockRetries, maxAttempts: 10, delayMs: () => 50 + 100 * Math.random() };

/**
 * A wallet is waited for briefly, so that its organisation holds no strangers. Whoever it belongs to may wait longer:
 * many large messages at once keep it busy for a while.
 */
export const whenWalletIsFree = <T>(attempt: () => Promise<T>): Promise<T> => retryTransient(attempt, policy);
