import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Schemas } from '../schema/schemas.js';
import { validate } from '../validation/validate.js';
import { ContractSettings } from '../settings.js';
import { isAirtimeBounds } from './airtime-bounds.js';
import { BuyAirtimeRequest } from './airtime.dto.js';

const good = { network: 'MTN', amount: 100, recipient: '08031234567' };

const faultsOf = (fields: object, settings?: ContractSettings): string[] => {
  const result = validate(BuyAirtimeRequest, { ...good, ...fields }, settings);
  return result.ok ? [] : result.errors.map(({ field, type }) => `${field} ${type}`);
};

describe('BuyAirtimeRequest', () => {
  it.each([1, 100, 99.5, 99.99, 100_000, 1.01])('may be for %d naira', (amount) => {
    expect(faultsOf({ amount })).toEqual([]);
  });

  it.each<[amount: unknown, type: string]>([
    [0, 'greater_than_equal'],
    [-1, 'greater_than_equal'],
    [0.001, 'greater_than_equal'],
    [0.99, 'greater_than_equal'],
    [1e-7, 'greater_than_equal'],
    [1.001, 'value_error'],
    [100.005, 'value_error'],
    [100_000.01, 'less_than_equal'],
    [2 ** 53 + 2, 'less_than_equal'],
    [Infinity, 'less_than_equal'],
    ['100', 'number_type'],
    [true, 'number_type'],
    [[100], 'number_type'],
    [{}, 'number_type'],
    [null, 'missing'],
    [undefined, 'missing'],
    ['', 'missing'],
  ])('cannot be for %p naira', (amount, type) => {
    expect(faultsOf({ amount })).toEqual([`amount ${type}`]);
  });

  it.each<[fields: object, fault: string]>([
    [{ network: 'mtn' }, 'network enum'],
    [{ network: null }, 'network missing'],
    [{ network: 5 }, 'network string_type'],
    [{ network: ['MTN'] }, 'network string_type'],
    [{ recipient: '112' }, 'recipient phone'],
    [{ recipient: '+447911123456' }, 'recipient phone'],
    [{ recipient: '233241234567' }, 'recipient phone'],
    [{ recipient: 8031234567 }, 'recipient string_type'],
    [{ recipient: '08031234567,08031234568' }, 'recipient phone'],
    [{ callback: 'ftp://example.com' }, 'callback url'],
    [{ callback: '/here' }, 'callback url'],
    [{ callback: 7 }, 'callback string_type'],
    [{ external_ref: 'x'.repeat(256) }, 'external_ref string_too_long'],
    [{ external_ref: '' }, 'external_ref string_too_short'],
    [{ external_ref: ' \t' }, 'external_ref string_too_short'],
    [{ external_ref: 'a\nb' }, 'external_ref value_error'],
    [{ external_ref: 17 }, 'external_ref string_type'],
  ])('is refused with %j', (fields, fault) => {
    expect(faultsOf(fields)).toEqual([fault]);
  });

  it.each(['08031234567', '234 803 123 4567', '002348031234567', '+2347000000002', '+2349131234567'])(
    'may be for %s with any network',
    (recipient) => {
      expect(faultsOf({ network: 'NTEL', recipient })).toEqual([]);
    },
  );

  it('is refused for a number abroad, with the reason', () => {
    expect(validate(BuyAirtimeRequest, { ...good, recipient: '+447911123456' })).toMatchObject({
      errors: [
        {
          message:
            'recipient must be a Nigerian phone number such as +2348031234567, not "+447911123456": the networks serve no other country',
        },
      ],
    });
  });

  it('is for an amount or for a product', () => {
    const product_id = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
    expect(faultsOf({ amount: undefined, product_id })).toEqual([]);
    expect(faultsOf({ amount: null, product_id })).toEqual([]);
    expect(faultsOf({ product_id: null })).toEqual([]);
    expect(faultsOf({ product_id })).toEqual(['product_id value_error']);
    expect(faultsOf({ amount: 0, product_id })).toEqual([
      'amount greater_than_equal',
      'product_id value_error',
    ]);
    expect(faultsOf({ amount: null, product_id: null })).toEqual(['amount missing']);
    expect(faultsOf({ amount: undefined, product_id: 'mtn-1gb' })).toEqual([]);
    expect(faultsOf({ amount: undefined, product_id: 17 })).toEqual(['product_id string_type']);
    expect(faultsOf({ amount: undefined, product_id: '' })).toEqual(['product_id missing']);
  });

  it('reports all faults at once', () => {
    const nothing = { network: undefined, recipient: undefined };
    expect(faultsOf({ ...nothing, amount: -5, callback: 'x', external_ref: {} })).toEqual([
      'network missing',
      'amount greater_than_equal',
      'recipient missing',
      'callback url',
      'external_ref string_type',
    ]);
  });

  it('may be any amount of whole kobo between the bounds', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 10_000_000 }), (kobo) => {
        expect(
          faultsOf({ amount: Number(`${Math.floor(kobo / 100)}.${String(kobo % 100).padStart(2, '0')}`) }),
        ).toEqual([]);
      }),
    );
  });
});

describe('the bounds of a purchase', () => {
  it('may differ by network; the schema has the widest range', () => {
    const settings = new ContractSettings({ AIRTIME_BOUNDS: '10-5000, MTN=50-20000,NTEL=2-3' });
    expect(settings.airtimeBounds.Glo).toEqual({ min: 10, max: 5_000 });
    expect(faultsOf({ amount: 49 }, settings)).toEqual(['amount greater_than_equal']);
    expect(faultsOf({ amount: 20_000 }, settings)).toEqual([]);
    expect(faultsOf({ network: 'Glo', amount: 5_001 }, settings)).toEqual(['amount less_than_equal']);
    expect(faultsOf({ network: 'none', amount: 20_001 }, settings)).toEqual([
      'network enum',
      'amount less_than_equal',
    ]);
    expect(new Schemas(settings).inline(BuyAirtimeRequest).properties?.['amount']).toMatchObject({
      minimum: 2,
      maximum: 20_000,
    });
  });

  it.each(['', '5', '5-', '0-5', '6-5', '1-5,', 'MTN=1-5', '1-5,mtn=1-5', '1-5,Glo', '1.5-5', '1-5;Glo=1-2'])(
    'cannot be %j',
    (text) => {
      expect(isAirtimeBounds(text)).toBe(false);
    },
  );
});
