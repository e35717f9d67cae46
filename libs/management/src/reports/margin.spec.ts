import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type CostSum, type MarginService, marginServices, type RevenueSum } from './margin-sums.js';
import { groupMargins, inNaira, marginGroups, marginOfCosts, marginOfRevenue, sumOf } from './margin.js';
import { daysOf, parseMonth, rangeOf } from './month.js';

const ids = fc.constantFrom('o1', 'o2');
const routes = fc.constantFrom(null, 'r1', 'r2');
const kobo = fc.bigInt({ min: 0n, max: 10n ** 15n });
const services = fc.constantFrom(...marginServices);
const revenue: fc.Arbitrary<RevenueSum> = fc
  .record({
    organisationId: ids,
    route: routes,
    provider: fc.constantFrom(null, 'a', 'b'),
    charged: kobo,
    refunded: kobo,
  })
  .map(({ charged, refunded, ...own }) => ({
    ...own,
    count: 1n,
    chargedKobo: String(charged),
    refundedKobo: String(refunded > charged ? charged : refunded),
  }));
const cost: fc.Arbitrary<CostSum> = fc.record({
  organisationId: ids,
  route: routes,
  provider: fc.constantFrom('a', 'b'),
  currency: fc.constantFrom(null, 'NGN', 'USD'),
  attempts: fc.constant(1n),
  repeated: fc.bigInt({ min: 0n, max: 1n }),
  micros: kobo.map(String),
});
type Summed<T> = readonly (readonly [MarginService, T])[];
const marginsOf = (revenues: Summed<RevenueSum>, costs: Summed<CostSum>) => [
  ...revenues.map((row) => marginOfRevenue(...row)),
  ...costs.map((row) => marginOfCosts(...row)),
];
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, own) => all + own, 0n);

describe('margins', () => {
  it('add up to the sum of everything that was read, in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(services, revenue)),
        fc.array(fc.tuple(services, cost)),
        (given, spent) => {
          const total = sumOf(marginsOf(given, spent));
          const [revenues, costs] = [given.map(([, row]) => row), spent.map(([, row]) => row)];
          expect(total.count).toBe(BigInt(revenues.length));
          expect(total.repeated).toBe(sum(costs.map(({ repeated }) => repeated)));
          expect(total.charged).toBe(sum(revenues.map((row) => BigInt(row.chargedKobo))) * 10_000n);
          expect(total.refunded).toBe(sum(revenues.map((row) => BigInt(row.refundedKobo))) * 10_000n);
          for (const currency of ['NGN', 'USD']) {
            const own = costs.filter((row) => row.currency === currency);
            expect(total.costs.get(currency) ?? 0n).toBe(sum(own.map(({ micros }) => BigInt(micros ?? '0'))));
          }
          expect(total.unknown).toBe(BigInt(costs.filter(({ currency }) => currency === null).length));
          expect(sumOf(marginsOf(given.toReversed(), spent.toReversed()))).toEqual(total);
          for (const by of [[], ['route'], ['provider'], marginGroups] as const)
            expect(sumOf(groupMargins(marginsOf(given, spent), by))).toEqual(total);
        },
      ),
    );
  });

  it('are in naira if there is a rate, and name other currencies', () => {
    const costs = new Map([
      ['USD', 7_500n],
      ['NGN', 1n],
      ['KES', 5n],
    ]);
    expect(inNaira(costs, new Map([['USD', 1_612_500_000n]]))).toEqual({
      naira: 12_093_751n,
      foreign: [{ currency: 'KES', micros: 5n }],
    });
    expect(inNaira(new Map(), new Map())).toEqual({ naira: 0n, foreign: [] });
  });

  it.each(['2026-11', '2026-12', '2028-02'])('of %s cover every id of the month once', (name) => {
    const given = parseMonth(name);
    if (!given) throw new Error(`${name} is a month`);
    const days = daysOf(given);
    expect([days[0]?.first, days.at(-1)?.end]).toEqual(Object.values(rangeOf(given)));
    for (const [index, { end }] of days.slice(0, -1).entries()) expect(days[index + 1]?.first).toBe(end);
  });

  it.each(['2026-13', '2026', '26-11', '2026-1'])('%s is not a month', (name) => {
    expect(parseMonth(name)).toBeUndefined();
  });
});
