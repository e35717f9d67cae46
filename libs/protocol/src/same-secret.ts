import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares secrets in a time that does not depend on where they differ. */
export const isSameSecret = (given: string, expected: string): boolean =>
  timingSafeEqual(digestOf(given), digestOf(expected));

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
