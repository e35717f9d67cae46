import { sqlState } from '@gangan/database';

const maxAttempts = 100;

/** Retries after a lock timeout, as callers do: on a busy machine the wait for a wallet may be too long. */
export async function onceUnlocked<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== '55P03' || attempt === maxAttempts) throw error;
    }
  }
}
