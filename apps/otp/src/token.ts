import { randomInt } from 'node:crypto';

/** Fewer characters are guessed sooner: they allow fewer tries. */
const shortToken = 4;

/** Digits only, leading zeros too: what people type on a phone. */
export const newToken = (length: number): string =>
  randomInt(10 ** length)
    .toString()
    .padStart(length, '0');

export const attemptsFor = (token: string): number => (token.length <= shortToken ? 3 : 5);
