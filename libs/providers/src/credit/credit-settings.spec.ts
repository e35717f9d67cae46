import { describe, expect, it } from '@jest/globals';
import { parseCredit, readCredit } from './credit-settings.js';

describe('parseCredit', () => {
  it.each([
    ['KES 1785.50', undefined, 1_785_500_000n, 'KES'],
    ['47.79134', 'EUR', 47_791_340n, 'EUR'],
    ['-0.0075', 'USD', -7_500n, 'USD'],
    ['12 NGN', undefined, 12_000_000n, 'NGN'],
    ['999999999999', 'NGN', 999_999_999_999_000_000n, 'NGN'],
  ])('reads %s with the currency %s', (text, currency, micros, named) => {
    expect(parseCredit(text, currency)).toEqual({ micros, currency: named });
  });

  it.each(['', '1e21', '1,000', '12', 'KES', 'Infinity'])('does not read %s', (text) => {
    expect(parseCredit(text)).toBeUndefined();
  });
});

describe('readCredit', () => {
  it('finds the amount and the currency', () => {
    const answer = { status: 200, text: '{"user":"Acme","balance":12.5,"currency":"NGN"}' };
    const expected = { micros: 12_500_000n, currency: 'NGN' };
    expect(readCredit({ amount: '/balance', currency: '/currency' }, answer)).toEqual(expected);
    expect(readCredit({ amount: '/balance', currency: 'NGN' }, answer)).toEqual(expected);
    expect(readCredit({ amount: '/value', currency: 'NGN' }, answer)).toBeUndefined();
    expect(readCredit({ amount: '/balance', currency: '/user' }, answer)).toBeUndefined();
  });

  it('finds both in a plain text', () => {
    const answer = { status: 200, text: 'OK balance=1234.50 NGN\r\n' };
    const expected = { micros: 1_234_500_000n, currency: 'NGN' };
    const amount = { match: 'balance=([0-9.]+)' };
    expect(readCredit({ amount, currency: { match: ' ([A-Z]{3})\\s*$' } }, answer)).toEqual(expected);
    expect(readCredit({ amount, currency: 'NGN' }, answer)).toEqual(expected);
    expect(readCredit({ amount: { match: 'balance=(.*)' } }, answer)).toEqual(expected);
    expect(readCredit({ amount, currency: 'NGN' }, { status: 200, text: 'ERR 12' })).toBeUndefined();
  });
});
