import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { overridePrices, priceCategories, PriceList, type PriceRow } from './price-list.js';

const services = ['sms', 'whatsapp', 'lookup'] as const;

const row = (
  service: PriceRow['service'],
  prefix: string,
  kobo: bigint,
  category: PriceRow['category'] = '',
): PriceRow => ({ service, category, prefix, kobo });

const list: PriceRow[] = [
  row('sms', '', 2_000n),
  row('sms', '', 900n, 'otp'),
  row('sms', '234', 400n),
  row('sms', '234', 300n, 'promotional'),
  row('sms', '234803', 350n),
  row('whatsapp', '44', 600n, 'otp'),
  row('lookup', '', 0n),
];

describe('a price list', () => {
  const prices = new PriceList(list);

  it.each([
    ['sms', '', '+2348031234567', 350n],
    ['sms', '', '+2348051234567', 400n],
    ['sms', '', '+23', 2_000n],
    ['sms', 'transactional', '+2348051234567', 400n],
    ['sms', 'promotional', '+2348051234567', 300n],
    // A longer prefix counts more than the category.
    ['sms', 'promotional', '+2348031234567', 350n],
    ['sms', 'otp', '+2348051234567', 400n],
    ['sms', 'otp', '+447911123456', 900n],
    ['whatsapp', 'otp', '+447911123456', 600n],
    ['whatsapp', 'transactional', '+447911123456', undefined],
    ['whatsapp', 'otp', '+2348031234567', undefined],
    ['lookup', '', '+2348031234567', 0n],
  ] as const)('%s of category %j to %s costs %s', (service, category, number, kobo) => {
    expect(prices.tableOf(service, category).priceOf(number)).toBe(kobo);
  });

  it('returns the highest price that can apply', () => {
    expect(prices.tableOf('sms', 'promotional').highest).toBe(2_000n);
    expect(prices.tableOf('sms', 'otp').highest).toBe(900n);
    expect(prices.tableOf('lookup').highest).toBe(0n);
    expect(prices.tableOf('whatsapp', 'promotional').highest).toBeUndefined();
  });

  it('finds the same price as a linear search', () => {
    fc.assert(
      fc.property(rows, service, category, digits(1, 15), (some, wanted, of, number) => {
        expect(new PriceList(some).tableOf(wanted, of).priceOf(`+${number}`)).toBe(
          search(some, wanted, of, number),
        );
      }),
      { numRuns: 1_000 },
    );
  });

  it('has no price above its highest', () => {
    fc.assert(
      fc.property(rows, service, category, digits(1, 15), (some, wanted, of, number) => {
        const table = new PriceList(some).tableOf(wanted, of);
        const price = table.priceOf(`+${number}`);
        if (price !== undefined) expect(price <= (table.highest ?? -1n)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the prices of an organisation', () => {
  it('default to the price list', () => {
    expect(overridePrices(list, [])).toBe(list);
  });

  it('replace longer prefixes of the list, and leave the others', () => {
    expect(overridePrices(list, [row('sms', '234', 300n)])).toEqual([
      row('sms', '', 2_000n),
      row('sms', '', 900n, 'otp'),
      row('sms', '234', 300n),
      row('whatsapp', '44', 600n, 'otp'),
      row('lookup', '', 0n),
    ]);
  });

  it('replace only their category, also where the list has a longer prefix', () => {
    const own = [row('sms', '234', 250n, 'promotional')];
    expect(overridePrices(list, own).filter(({ prefix }) => prefix !== '')).toEqual([
      row('sms', '234', 400n),
      row('sms', '234', 250n, 'promotional'),
      row('sms', '234803', 350n),
      row('sms', '234803', 250n, 'promotional'),
      row('whatsapp', '44', 600n, 'otp'),
    ]);
  });

  it('apply to every number and category that they match', () => {
    fc.assert(
      fc.property(rows, rows, service, category, digits(1, 15), (all, own, wanted, of, number) => {
        const price = new PriceList(overridePrices(all, own)).tableOf(wanted, of).priceOf(`+${number}`);
        expect(price).toBe(search(own, wanted, of, number) ?? search(all, wanted, of, number));
      }),
      { numRuns: 2_000 },
    );
  });
});

const service = fc.constantFrom(...services);

const category = fc.constantFrom(...priceCategories);

/** Few digits, so that prefixes and numbers meet. */
const digits = (least: number, most: number) =>
  fc.array(fc.constantFrom('1', '2'), { minLength: least, maxLength: most }).map((all) => all.join(''));

const rows = fc.uniqueArray(
  fc.record({
    service,
    category: fc.constantFrom('' as const, '' as const, ...priceCategories),
    prefix: digits(0, 5),
    kobo: fc.bigInt({ min: 0n, max: 1_000n }),
  }) satisfies fc.Arbitrary<PriceRow>,
  { selector: ({ service: of, category: by, prefix }) => `${of} ${by} ${prefix}` },
);

/** The longest prefix; of two rows with it, the one with the category. */
function search(
  all: readonly PriceRow[],
  wanted: PriceRow['service'],
  of: PriceRow['category'],
  number: string,
): bigint | undefined {
  const [best] = all
    .filter(
      (each) =>
        each.service === wanted &&
        (each.category === '' || each.category === of) &&
        number.startsWith(each.prefix),
    )
    .toSorted(
      (one, other) =>
        other.prefix.length - one.prefix.length ||
        Number(one.category === '') - Number(other.category === ''),
    );
  return best?.kobo;
}
