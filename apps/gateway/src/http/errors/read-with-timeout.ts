import { unavailableWhenAway } from '@gangan/database';
import { unavailable, withTimeout } from '@gangan/protocol';

/**
 * Waits a limited time for the database. Use it only for reads and for what precedes the work: if it fails, nothing was
 * done, so a retry is safe.
 * @throws AppError 503 when the database is unavailable or does not respond in time
 */
export async function readWithTimeout<T>(timeoutMs: number, reading: Promise<T>): Promise<T> {
  const timedOut = () =>
    unavailable(undefined, new Error(`The database has not answered within ${timeoutMs} ms`));
  try {
    return await withTimeout(timeoutMs, reading, timedOut);
  } catch (error) {
    throw unavailableWhenAway(error);
  }
}
