import { unavailableWhenAway } from '@gangan/database';
import { unavailable, withTimeout } from '@gangan/protocol';

/**
 * Waits for the database, but not for ever. Only for reading, and for what comes before the work: nothing was done,
 * so whatever kept the database from answering, trying again is safe.
 * @throws AppError 503 when the database is away, or silent for so long
 */
export async function readInTime<T>(milliseconds: number, reading: Promise<T>): Promise<T> {
  const silence = () =>
    unavailable(undefined, new Error(`The database has not answered within ${milliseconds} ms`));
  try {
    return await withTimeout(milliseconds, reading, silence);
  } catch (error) {
    throw unavailableWhenAway(error);
  }
}
