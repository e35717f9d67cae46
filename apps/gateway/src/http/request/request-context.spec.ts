import { describe, expect, it } from '@jest/globals';
import { requestIdOf, requestIds } from './request-context.js';

describe('the request id', () => {
  it.each([
    'a',
    '01938b2e-7b6c-7000-8000-000000000000',
    'Root=1-67891233-abcdef012345678912345678',
    'x'.repeat(128),
  ])('is the caller’s when that is %s', (given) => {
    expect(requestIdOf(given)).toBe(given);
  });

  it.each([undefined, '', ' ', 'a b', 'a\nb', 'a"b', 'a, b', 'é', 'x'.repeat(129), ['a', 'b']])(
    'is new when the caller’s is %j',
    (given) => {
      expect(requestIdOf(given)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('the id of a request to debug', () => {
  const token = 'a-token-that-only-operators-know';
  const isNew = /^[0-9a-f-]{36}$/;

  it('is given for the token, with the id of the caller', () => {
    const idOf = requestIds(token);
    expect(idOf('abc', token)).toBe('debug-abc');
    expect(idOf('debug-abc', token)).toBe('debug-abc');
    expect(idOf(undefined, token)).toMatch(/^debug-[0-9a-f-]{36}$/);
    expect(idOf('x'.repeat(125), token)).toMatch(/^debug-[0-9a-f-]{36}$/);
  });

  it.each([undefined, '', 'wrong', `${token} `, token.toUpperCase(), [token, token]])(
    'is not given for %j, and cannot be chosen',
    (given) => {
      const idOf = requestIds(token);
      expect(idOf('abc', given)).toBe('abc');
      expect(idOf('debug-abc', given)).toMatch(isNew);
    },
  );

  it('is never given without a configured token', () => {
    const idOf = requestIds(undefined);
    for (const debug of ['', 'undefined', token]) {
      expect(idOf('abc', debug)).toBe('abc');
      expect(idOf('debug-abc', debug)).toMatch(isNew);
    }
  });
});
