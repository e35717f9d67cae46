import { lockRetries, retryTransient } from '@gangan/database';

/** Each attempt waits for the lock for 200 ms; with the delays, about three seconds in all. */
const walletRetries = { ...lockRetries, maxAttempts: 10, delayMs: () => 50 + 100 * Math.random() };

/** A batch waits for a wallet only briefly. The request of the wallet's own organisation retries longer. */
export const retryWhileWalletLocked = <T>(attempt: () => Promise<T>): Promise<T> =>
  retryTransient(attempt, walletRetries);
