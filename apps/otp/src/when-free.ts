import { sqlState } from '@gangan/database';
import { AppError } from '@gangan/protocol';

const lockNotAvailable = '55P03';
/** Each waits for its lock for 200 ms. */
const mostRuns = 4;

/**
 * What others hold for a moment is tried again; nothing was done by a run that did not get its locks.
 * @throws AppError 503 when it stays held
 */
export async function whenFree<T>(run: () => Promise<T>): Promise<T> {
  for (let runs = 1; ; runs += 1) {
    try {
      return await run();
    } catch (error) {
      if (runs === mostRuns || !isHeldUp(error)) throw error;
    }
  }
}

const isHeldUp = (error: unknown): boolean =>
  error instanceof AppError && sqlState(error.cause) === lockNotAvailable;
