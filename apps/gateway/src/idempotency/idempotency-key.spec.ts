import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { idempotencyKeyOf } from './idempotency-key.js';

const keyOf = (given?: string | string[]) =>
  idempotencyKeyOf(given === undefined ? {} : { 'idempotency-key': given });

describe('an Idempotency-Key', () => {
  it('may be absent', () => {
    expect(keyOf()).toBeUndefined();
  });

  it('is 1 to 255 visible ASCII characters', () => {
    const visible = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
    const keys = fc.array(visible, { minLength: 1, maxLength: 255 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(keys, (key) => {
        expect(keyOf(key)).toBe(key);
      }),
    );
  });

  it.each([[''], [' '], ['a b'], ['x'.repeat(256)], ['é'], ['a\tb'], ['a, b'], [['a', 'b']]])(
    'cannot be %j',
    (given) => {
      expect(() => keyOf(given)).toThrow(
        expect.objectContaining({
          status: 400,
          fields: [expect.objectContaining({ field: 'Idempotency-Key', type: 'value_error' })],
        }),
      );
    },
  );
});
