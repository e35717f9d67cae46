import { randomBytes } from 'node:crypto';

/** 128 random bits: nobody guesses one. */
export const newLinkCode = (): string => randomBytes(16).toString('base64url');
