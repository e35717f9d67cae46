import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { insufficientBalance } from './billing.errors.js';
import { toKobo, parseNaira, toNaira, formatNaira } from './money.js';

describe('money', () => {
  it.each([
    [0n, '0.00', 0],
    [5n, '0.05', 0.05],
    [50n, '0.50', 0.5],
    [123_450n, '1234.50', 1234.5],
    [-7n, '-0.07', -0.07],
    [999_999_999_999_999n, '9999999999999.99', 9999999999999.99],
  ])('%s kobo is %s naira', (kobo, text, naira) => {
    expect(formatNaira(kobo)).toBe(text);
    expect(toNaira(kobo)).toBe(naira);
  });

  it.each([
    [1, 100n],
    [0.1, 10n],
    [0.29, 29n],
    [1.1, 110n],
    [100_000, 10_000_000n],
    [-2.5, -250n],
    [0, 0n],
  ])('%s naira is %s kobo', (naira, kobo) => {
    expect(toKobo(naira)).toBe(kobo);
  });

  it.each([0.001, 1.005, 0.1 + 0.2, 1e-7, 1e21, Infinity, -Infinity, Number.NaN, 2 ** 53, 1e13])(
    '%s is not an amount',
    (naira) => {
      expect(toKobo(naira)).toBeUndefined();
    },
  );

  it.each(['', ' 1', '1,5', '1.', '.5', '1.234', '0x10', '1e3', '+1', '--1', '9'.repeat(14), '١'])(
    '%j is not an amount',
    (naira) => {
      expect(parseNaira(naira)).toBeUndefined();
    },
  );

  it('survives a round trip through JSON', () => {
    const max = 999_999_999_999_999n;
    fc.assert(
      fc.property(fc.bigInt({ min: -max, max }), (kobo) => {
        const json = JSON.stringify(toNaira(kobo));
        expect(toKobo(JSON.parse(json) as number)).toBe(kobo);
        expect(parseNaira(formatNaira(kobo))).toBe(kobo);
      }),
    );
  });

  it('shows a shortfall to the kobo', () => {
    expect(insufficientBalance(40_005n, 3n)).toMatchObject({
      status: 402,
      fields: [
        {
          field: 'balance',
          type: 'insufficient_balance',
          message: 'This costs NGN 400.05, and NGN 0.03 is available: top up and try again',
        },
      ],
    });
  });
});
