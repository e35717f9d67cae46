import 'reflect-metadata';
import { newId } from '@gangan/protocol';
import { uniqueBytes } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { attemptsFor, newToken, TokenDigests } from './tokens.js';

const newPepper = (): string => uniqueBytes(32).toString('base64');
const withPeppers = (...peppers: readonly string[]): TokenDigests =>
  new TokenDigests({ OTP_PEPPER: peppers });

describe('the digest of a token', () => {
  const [old, next] = [newPepper(), newPepper()];
  const of = { organisationId: newId(), otpId: newId(), token: '0042' };

  it('depends on the organisation, the OTP, the token and the pepper', () => {
    const digests = [
      withPeppers(old).digest(of),
      withPeppers(next).digest(of),
      withPeppers(old).digest({ ...of, organisationId: newId() }),
      withPeppers(old).digest({ ...of, otpId: newId() }),
      withPeppers(old).digest({ ...of, token: '42' }),
    ];
    expect(new Set(digests.map((digest) => digest.toString('hex'))).size).toBe(digests.length);
    expect(digests.every((digest) => digest.length === 32)).toBe(true);
  });

  it('matches with either pepper during a change, and is created with the first', () => {
    const made = withPeppers(old).digest(of);
    expect(withPeppers(next, old).candidates(of)).toContainEqual(made);
    expect(withPeppers(old, next).candidates(of)).toContainEqual(made);
    expect(withPeppers(next, old).digest(of)).toEqual(withPeppers(next).digest(of));
    expect(withPeppers(next).candidates(of)).not.toContainEqual(made);
  });

  it('ignores the spelling of the id', () => {
    const { organisationId, otpId } = of;
    const shouted = { ...of, organisationId: organisationId.toUpperCase(), otpId: otpId.toUpperCase() };
    expect(withPeppers(old).digest(shouted)).toEqual(withPeppers(old).digest(of));
  });
});
describe('a token', () => {
  it.each([4, 5, 6, 7, 8])('has exactly %d digits, including leading zeros', (length) => {
    const tokens = Array.from({ length: 500 }, () => newToken(length));
    expect(tokens.every((token) => new RegExp(`^\\d{${length}}$`).test(token))).toBe(true);
    expect(tokens.some((token) => token.startsWith('0'))).toBe(true);
    expect(new Set(tokens).size).toBeGreaterThan(450);
  });

  it('allows fewer attempts if it is short', () => {
    expect([attemptsFor('0000'), attemptsFor('00000'), attemptsFor('x'.repeat(15))]).toEqual([3, 5, 5]);
  });
});
