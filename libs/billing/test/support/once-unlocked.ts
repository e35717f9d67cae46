import { sqlState } from '@gangan/database';

/** Retries after a lock timeout, as callers do: on a busy machine the wait for a wallet may be too long. */
export async function onceUnlocked<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
    }
  }
}
