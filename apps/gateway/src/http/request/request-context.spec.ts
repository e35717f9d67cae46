import { describe, expect, it } from '@jest/globals';
import { requestIdOf } from './request-context.js';

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
