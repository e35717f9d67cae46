import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from '../http/read-answer.js';
import { costInAnswer, CostTable, findCostFaults } from './cost-settings.js';
import { pageCounter } from './page-rules.js';
import { costInReport, findReportCostFaults } from './reported-cost.js';
import { convertMicros, formatMicros, isExactAmount, parseMicros, parsePrice } from './money.js';

const amount = fc.bigInt({ min: 0n, max: 999_999_999_999_999n });

describe('an amount in millionths', () => {
  it.each([
    ['0', 0n],
    ['3.5', 3_500_000n],
    ['0.000001', 1n],
    ['0.0000004', 0n],
    ['0.0000005', 1n],
    ['0.9999995', 1_000_000n],
    ['0.03330000', 33_300n],
    ['999999999.999999', 999_999_999_999_999n],
  ])('of %s is %s', (text, micros) => {
    expect(parseMicros(text)).toBe(micros);
  });

  it.each(['', ' 1', '1,5', '1.', '.5', '-1', '+1', '1e3', '1e-7', '0x1', 'NaN', '9'.repeat(10)])(
    '%j is not an amount',
    (text) => {
      expect(parseMicros(text)).toBeUndefined();
    },
  );

  it('survives a round trip, and is written with two to six decimals', () => {
    fc.assert(
      fc.property(amount, (micros) => {
        const text = formatMicros(micros);
        expect(text).toMatch(/^\d+\.\d{2,6}$/);
        expect(parseMicros(text)).toBe(micros);
        expect(isExactAmount(text)).toBe(true);
        expect(formatMicros(-micros)).toBe(micros === 0n ? text : `-${text}`);
      }),
    );
  });

  it('is rounded to the nearest millionth, never by more than half of one', () => {
    fc.assert(
      fc.property(amount, fc.stringMatching(/^\d{1,12}$/), (micros, further) => {
        const digits = micros.toString().padStart(7, '0');
        const text = `${digits.slice(0, -6)}.${digits.slice(-6)}${further}`;
        // In units of the last digit.
        const scale = 10n ** BigInt(further.length);
        const error = (parseMicros(text) ?? 0n) * scale - (micros * scale + BigInt(further));
        expect(error * 2n <= scale && error * 2n > -scale).toBe(true);
      }),
    );
  });

  it('is converted by a rate, rounded to the nearest millionth', () => {
    expect(convertMicros(7_500n, 1_612_500_000n)).toBe(12_093_750n);
    fc.assert(
      fc.property(amount, fc.bigInt({ min: 0n, max: 10_000_000_000n }), (micros, rate) => {
        const error = convertMicros(micros, rate) * 1_000_000n - micros * rate;
        expect(error * 2n <= 1_000_000n && error * 2n > -1_000_000n).toBe(true);
      }),
    );
  });

  it.each([
    ['0.0333', 33_300n, 'EUR'],
    ['KES 0.8000', 800_000n, 'KES'],
    ['0.80 USD', 800_000n, 'USD'],
    ['-0.0075', 7_500n, 'EUR'],
    [' NGN3.5 ', 3_500_000n, 'NGN'],
  ])('is read from the price %j', (text, micros, currency) => {
    expect(parsePrice(text, 'EUR')).toEqual({ micros, currency });
  });

  it.each(['', 'free', 'NGN', '1 234', '1,5', '--1', '€1'])('is not read from %j', (text) => {
    expect(parsePrice(text, 'EUR')).toBeUndefined();
  });

  it('needs a currency', () => {
    expect(parsePrice('1')).toBeUndefined();
  });
});

describe('a table of costs', () => {
  const table = new CostTable({
    currency: 'NGN',
    perPart: { any: '12', NG: 3.5, '234803': '3.2', '2348031': '0.000001' },
  });

  it.each([
    ['+2348031234567', 1, 1n],
    ['+2348032234567', 2, 6_400_000n],
    ['+2348052234567', 3, 10_500_000n],
    ['+447911123456', 1, 12_000_000n],
  ])('prices %s in %i parts at %s', (recipient, parts, micros) => {
    expect(table.costOf(recipient, parts)).toEqual({ currency: 'NGN', micros });
  });

  it('without `any` does not cover all numbers', () => {
    const nigeria = new CostTable({ currency: 'NGN', perPart: { NG: '3' } });
    expect(nigeria.costOf('+447911123456', 1)).toBeUndefined();
    expect(new CostTable({ currency: 'NGN', price: '/price' }).costOf('+447911123456', 1)).toBeUndefined();
  });

  it('charges every part the same', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 })), (parts) => {
        const sum = parts.reduce((all, own) => all + (table.costOf('+2348032234567', own)?.micros ?? 0n), 0n);
        expect(sum).toBe(3_200_000n * BigInt(parts.reduce((all, own) => all + own, 0)));
      }),
    );
  });

  it('may have rates by category; a number without one has that of the next row', () => {
    const rates = new CostTable({
      currency: 'USD',
      perPart: { any: { marketing: 1, any: '0.5' }, NG: { utility: '0.0067' }, '234803': { service: 0 } },
    });
    const costOf = (recipient: string, category?: string) => rates.costOf(recipient, 1, category)?.micros;
    expect(costOf('+2348031234567', 'service')).toBe(0n);
    expect(costOf('+2348031234567', 'utility')).toBe(6_700n);
    expect(costOf('+2348051234567', 'marketing')).toBe(1_000_000n);
    expect(costOf('+447911123456', 'utility')).toBe(500_000n);
    expect(costOf('+447911123456')).toBe(500_000n);
    expect(table.costOf('+2348052234567', 2, 'marketing')?.micros).toBe(7_000_000n);
    expect(
      findCostFaults({ currency: 'USD', perPart: { NG: { utility: '0.00000001', service: 1 } } }),
    ).toEqual(['settings.cost.perPart.NG.utility is not an amount with at most 6 decimals']);
  });

  it('is not needed if reports have prices', () => {
    expect(findCostFaults({ currency: 'NGN' }, true)).toEqual([]);
    const places = { price: '/cost', priceCurrency: '/unit' };
    expect(findReportCostFaults(places, undefined)).toEqual([]);
    expect(findReportCostFaults({ price: '/cost' }, { currency: 'NGN' })).toEqual([]);
    expect(findReportCostFaults({ price: '/cost' }, undefined)).toEqual([
      'settings.reports.cost has no currency: give settings.cost.currency or settings.reports.cost.priceCurrency',
    ]);
  });

  it('is refused with all faults', () => {
    expect(
      findCostFaults({ currency: 'NGN', perPart: { '0803': '1', XX: 1, '234': '0.0000001', any: -1 } }),
    ).toEqual([
      'settings.cost.perPart.0803 is not a prefix such as 234803, a country such as NG, or any',
      'settings.cost.perPart.XX is not a prefix such as 234803, a country such as NG, or any',
      'settings.cost.perPart.234 is not an amount with at most 6 decimals',
      'settings.cost.perPart.any is not an amount with at most 6 decimals',
    ]);
    expect(findCostFaults({ currency: 'NGN', priceCurrency: '/currency' })).toEqual([
      'settings.cost has neither perPart nor price',
      'settings.cost.priceCurrency needs price',
    ]);
    expect(findCostFaults({ currency: 'NGN', perPart: { '234': 0.1 } })).toEqual([]);
  });
});

describe('the pages of a text', () => {
  const count = pageCounter([
    { characters: ';/^{}\\[~]|€\'"-', single: 70 },
    { characters: 'ọ', single: 60, multiple: 50 },
  ]);

  it.each(Array.from(';/^{}\\[~]|€\'"-'))('are of 70 characters if it has %j', (character) => {
    for (const [length, pages] of [
      [1, 1],
      [70, 1],
      [71, 2],
      [140, 2],
      [141, 3],
    ] as const)
      expect(count?.(character + 'x'.repeat(length - 1), 1)).toBe(pages);
  });

  it('are counted by the first rule that is for it, and as we do without one', () => {
    expect(count?.('x'.repeat(71), 1)).toBe(1);
    expect(count?.('ọ'.repeat(60), 1)).toBe(1);
    expect(count?.('ọ'.repeat(61), 1)).toBe(2);
    expect(count?.(`${'ọ'.repeat(100)};`, 2)).toBe(2);
    expect(pageCounter([{ single: 100 }])?.('x'.repeat(101), 1)).toBe(2);
    expect(pageCounter([])).toBeUndefined();
    expect(pageCounter()).toBeUndefined();
  });

  it('are never fewer than ours, and never more than a page for each unit', () => {
    const rules = fc.record({
      single: fc.integer({ min: 1, max: 200 }),
      multiple: fc.integer({ min: 1, max: 200 }),
    });
    fc.assert(
      fc.property(fc.string(), rules, fc.integer({ min: 1, max: 10 }), (text, rule, own) => {
        const pages = pageCounter([rule])?.(text, own) ?? 0;
        expect(pages).toBeGreaterThanOrEqual(own);
        expect(pages).toBeLessThanOrEqual(Math.max(own, text.length, 1));
      }),
    );
  });
});

describe('the cost in a report', () => {
  const places = {
    price: '/price/pricePerMessage',
    priceCurrency: '/price/currency',
    parts: '/messageCount',
  };
  const read = (report: unknown) => costInReport(places, { currency: 'NGN' }, report);

  it('is that of all parts, in its own currency', () => {
    expect(read({ messageCount: 3, price: { pricePerMessage: 0.0123, currency: 'EUR' } })).toEqual({
      currency: 'EUR',
      micros: 36_900n,
    });
    expect(read({ messageCount: '1', price: { pricePerMessage: '3.9' } })).toEqual({
      currency: 'NGN',
      micros: 3_900_000n,
    });
    expect(costInReport({ price: '/cost' }, undefined, { cost: 'KES 0.80' })?.micros).toBe(800_000n);
  });

  it.each([
    {},
    { price: { pricePerMessage: 1 } },
    { messageCount: 0, price: { pricePerMessage: 1 } },
    { messageCount: 1.5, price: { pricePerMessage: 1 } },
    { messageCount: 100, price: { pricePerMessage: 1 } },
    { messageCount: 1, price: { pricePerMessage: 'free' } },
    { messageCount: 1, price: { pricePerMessage: 1, currency: 'euro' } },
    undefined,
  ])('is not read from %j', (report) => {
    expect(read(report)).toBeUndefined();
  });

  it('needs a currency', () => {
    expect(costInReport({ price: '/cost' }, undefined, { cost: 1 })).toBeUndefined();
  });
});

describe('the cost in an answer', () => {
  const settings = { currency: 'EUR', price: '/price' };

  it('may name its currency', () => {
    expect(costInAnswer(settings, { price: 0.0333 })).toEqual({ currency: 'EUR', micros: 33_300n });
    expect(costInAnswer({ currency: 'EUR', price: '/0/cost' }, [{ cost: 'KES 0.8000' }])).toEqual({
      currency: 'KES',
      micros: 800_000n,
    });
    const priced = { price: '0.5', unit: 'USD' };
    expect(costInAnswer({ ...settings, priceCurrency: '/unit' }, priced)).toEqual({
      currency: 'USD',
      micros: 500_000n,
    });
  });

  it.each([undefined, {}, { price: null }, { price: 'free' }, { price: 1e-7 }, { price: [1] }])(
    'is not known from %j',
    (document) => {
      expect(costInAnswer(settings, document)).toBeUndefined();
    },
  );

  it('is not known if its currency is invalid', () => {
    const priced = { price: '0.5', unit: 'dollars' };
    expect(costInAnswer({ ...settings, priceCurrency: '/unit' }, priced)).toBeUndefined();
  });

  it('of a long message is the sum of its parts, if all are known', () => {
    const http = {
      request: { url: 'https://sms.example' },
      answer: { parts: '/messages', reference: '/id' },
      cost: settings,
    };
    const read = (...messages: object[]) =>
      readAnswer(http, { status: 200, text: JSON.stringify({ messages }) }).cost;
    expect(read({ id: 'a', price: '0.0333' }, { id: 'b', price: '0.0334' })).toEqual({
      currency: 'EUR',
      micros: 66_700n,
    });
    expect(read({ id: 'a', price: '0.0333' })).toEqual({ currency: 'EUR', micros: 33_300n });
    expect(read({ id: 'a', price: '0.0333' }, { id: 'b' })).toBeUndefined();
    expect(read({ id: 'a', price: 'KES 1' }, { id: 'b', price: '1' })).toBeUndefined();
  });
});
