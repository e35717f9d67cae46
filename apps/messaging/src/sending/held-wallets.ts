import { sqlState } from '@gangan/database';
import { setTimeout as pause } from 'node:timers/promises';

const lockNotAvailable = '55P03';
/** Each waits for the lock for 200 ms; with the pauses, some three seconds in all. */
const mostTries = 10;

/**
 * A wallet is waited for briefly, so that its organisation holds no strangers. Whoever it belongs to may wait longer:
 * many large messages at once keep it busy for a while. Nothing was done by what is tried again.
 */
export async function whenWalletIsFree<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (tries >= mostTries || !isHeld(error)) throw error;
      await pause(50 + 100 * Math.random());
    }
  }
}

const isHeld = (error: unknown): boolean =>
  sqlState(error) === lockNotAvailable ||
  (error instanceof Error && sqlState(error.cause) === lockNotAvailable);
