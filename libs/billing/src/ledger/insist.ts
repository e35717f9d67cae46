import { setTimeout as pause } from 'node:timers/promises';
import { sqlFailure } from '@gangan/database';

const mostRuns = 8;

/** Runs a transaction that moves money again when a lock, mostly that of a wallet, was in its way. */
export async function insist<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs >= mostRuns || !isHeldUp(error)) throw error;
      await pause(20 * runs * (0.5 + Math.random()));
    }
  }
}

/** Nothing was done, and there is nothing wrong with what was wanted. */
export const isHeldUp = (error: unknown): boolean => ['busy', 'conflict'].includes(sqlFailure(error));
