import { sqlState } from '@gangan/database';

/** On a busy machine a wallet may be waited for too long; a caller is told to try again, and so does a test. */
export async function onceUnlocked<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
    }
  }
}
