import { unavailableWhenAway } from '@gangan/database';

/** Only reading was asked for: where the connection broke, nothing was done. */
export async function reading<T>(rows: Promise<T>): Promise<T> {
  try {
    return await rows;
  } catch (error) {
    throw unavailableWhenAway(error) as Error;
  }
}
