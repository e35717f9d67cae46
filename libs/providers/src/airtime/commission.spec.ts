import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costLessCommission } from './commission.js';
import { findVtpassFaults } from './adapter-settings.js';

const secrets = ['api_key', 'public_key', 'secret_key'];

describe('the commission of an airtime provider', () => {
  it('is a percentage of the amount, by network', () => {
    const commission = { MTN: '3', any: 2.5 };
    expect(costLessCommission(commission, 'MTN', 10_000n)).toEqual({ currency: 'NGN', micros: 97_000_000n });
    expect(costLessCommission(commission, 'Glo', 10_000n)).toEqual({ currency: 'NGN', micros: 97_500_000n });
    expect(costLessCommission({ MTN: 3 }, 'Glo', 10_000n)).toBeUndefined();
    expect(costLessCommission(undefined, 'MTN', 10_000n)).toBeUndefined();
    expect(costLessCommission({ any: 0 }, 'MTN', 1n)?.micros).toBe(10_000n);
    expect(costLessCommission({ any: 100 }, 'MTN', 1n)?.micros).toBe(0n);
  });

  it('is subtracted exactly, to the nearest millionth', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 12n }),
        fc.integer({ min: 0, max: 100_000_000 }),
        (kobo, micros) => {
          const percent = (micros / 1_000_000).toFixed(6);
          const cost = costLessCommission({ any: percent }, 'MTN', kobo)?.micros ?? -1n;
          const error = cost * 100_000_000n - kobo * 10_000n * (100_000_000n - BigInt(micros));
          expect(error * 2n <= 100_000_000n && error * 2n > -100_000_000n).toBe(true);
        },
      ),
    );
  });

  it('is refused with all faults', () => {
    expect(
      findVtpassFaults({ commission: { MTN: '101', Vodafone: 1, any: '-1', Glo: '0.0000001' } }, secrets),
    ).toEqual([
      'settings.commission.MTN is not a percentage with at most 6 decimals',
      'settings.commission.Vodafone is not a network, or any',
      'settings.commission.any is not a percentage with at most 6 decimals',
      'settings.commission.Glo is not a percentage with at most 6 decimals',
    ]);
    expect(findVtpassFaults({ commission: { MTN: 3, any: '2.5' } }, secrets)).toEqual([]);
  });
});
