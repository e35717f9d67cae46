import { describe, expect, it } from '@jest/globals';
import { attemptsFor, newToken } from './token.js';

describe('a token', () => {
  it.each([4, 5, 6, 7, 8])('of %d digits has as many, zeros in front too', (length) => {
    const tokens = Array.from({ length: 500 }, () => newToken(length));
    expect(tokens.every((token) => new RegExp(`^\\d{${length}}$`).test(token))).toBe(true);
    expect(tokens.some((token) => token.startsWith('0'))).toBe(true);
    expect(new Set(tokens).size).toBeGreaterThan(450);
  });

  it('that is short allows fewer tries', () => {
    expect([attemptsFor('0000'), attemptsFor('00000'), attemptsFor('x'.repeat(15))]).toEqual([3, 5, 5]);
  });
});
