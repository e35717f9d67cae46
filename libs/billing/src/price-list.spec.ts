import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overridePrices, PriceList } from './price-list.js';
import type { PriceRow } from './prices.js';

const services = ['sms', 'whatsapp', 'lookup'] as const;

describe('a price list', () => {
  const list = new PriceList([
    { service: 'sms', prefix: '', kobo: 2_000n },
    { service: 'sms', prefix: '234', kobo: 400n },
    { service: 'sms', prefix: '234803', kobo: 350n },
    { service: 'lookup', prefix: '', kobo: 0n },
  ]);

  it.each([
    ['sms', '+2348031234567', 350n],
    ['sms', '+2348051234567', 400n],
    ['sms', '+23', 2_000n],
    ['sms', '+447911123456', 2_000n],
    ['lookup', '+2348031234567', 0n],
  ] as const)('%s to %s costs %s', (service, number, kobo) => {
    expect(list.priceOf(service, number)).toBe(kobo);
  });

  it('returns the highest price', () => {
    expect(list.highestOf('sms')).toBe(2_000n);
    expect(list.highestOf('lookup')).toBe(0n);
  });

  it('reports a missing empty prefix', () => {
    expect(() => list.priceOf('whatsapp', '+2348031234567')).toThrow('no price for whatsapp');
  });

  it('finds the same price as a linear search', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(...services), digits(1, 15), (some, service, number) => {
        const all = [...some, ...catchAll];
        expect(longestMatches(all, service, number)).toContain(
          new PriceList(all).priceOf(service, `+${number}`),
        );
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the prices of an organisation', () => {
  const list: PriceRow[] = [
    { service: 'sms', prefix: '', kobo: 2_000n },
    { service: 'sms', prefix: '234', kobo: 400n },
    { service: 'sms', prefix: '234803', kobo: 350n },
    { service: 'lookup', prefix: '', kobo: 0n },
  ];

  it('default to the price list', () => {
    expect(overridePrices(list, [])).toBe(list);
  });

  it('replace longer prefixes of the list, and leave the others', () => {
    expect(overridePrices(list, [{ service: 'sms', prefix: '234', kobo: 300n }])).toEqual([
      { service: 'sms', prefix: '', kobo: 2_000n },
      { service: 'sms', prefix: '234', kobo: 300n },
      { service: 'lookup', prefix: '', kobo: 0n },
    ]);
  });

  it('apply to every number that they match', () => {
    fc.assert(
      fc.property(rows, rows, fc.constantFrom(...services), digits(1, 15), (some, own, service, number) => {
        const all = [...some, ...catchAll];
        const price = new PriceList(overridePrices(all, own)).priceOf(service, `+${number}`);
        const ownMatches = longestMatches(own, service, number);
        expect(ownMatches.length > 0 ? ownMatches : longestMatches(all, service, number)).toContain(price);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Few digits, so that prefixes and numbers meet. */
const digits = (least: number, most: number) =>
  fc.array(fc.constantFrom('1', '2'), { minLength: least, maxLength: most }).map((all) => all.join(''));

const rows = fc.uniqueArray(
  fc.record({
    service: fc.constantFrom(...services),
    prefix: digits(0, 6),
    kobo: fc.bigInt({ min: 0n, max: 1_000n }),
  }) satisfies fc.Arbitrary<PriceRow>,
  { selector: ({ service, prefix }) => `${service} ${prefix}` },
);

const catchAll = services.map((service) => ({ service, prefix: '', kobo: 7n }));

/** The prices of the longest matching prefix; `catchAll` may repeat the empty one. */
function longestMatches(all: readonly PriceRow[], service: PriceRow['service'], number: string): bigint[] {
  const fitting = all.filter((each) => each.service === service && number.startsWith(each.prefix));
  const longest = Math.max(...fitting.map(({ prefix }) => prefix.length));
  return fitting.filter(({ prefix }) => prefix.length === longest).map(({ kobo }) => kobo);
}
