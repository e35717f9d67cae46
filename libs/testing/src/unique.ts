import { randomBytes } from 'node:crypto';

/**
 * Random bytes for names and keys that no other test has. They decide nothing: a test that does something at random
 * takes its numbers from `seededRandom` or fast-check, which repeat.
 */
export const uniqueBytes = (length: number): Buffer => randomBytes(length);

export const uniqueName = (): string => uniqueBytes(8).toString('hex');
