import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { findJsonExcess, maxJsonDepth, maxJsonNames } from './json-size.js';

const find = (json: string, maxValues = 5_000) => findJsonExcess(Buffer.from(json), maxValues);

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 1)
    : 1;
const countEmpty = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + countEmpty(inner), 0) +
      Number(Object.keys(value).length === 0)
    : 0;

describe('JSON', () => {
  it('may be twenty levels deep', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(find(nested(20))).toBeUndefined();
    expect(find(nested(21))).toBe('depth');
    expect(find('['.repeat(100_000))).toBe('depth');
  });

  it('may contain as many values as the route allows', () => {
    expect(find(JSON.stringify([1, 2, 3]), 4)).toBeUndefined();
    expect(find(JSON.stringify([1, 2, 3, 4]), 4)).toBe('values');
    expect(find(`[${'1,'.repeat(500_000)}1]`)).toBe('values');
  });

  it('may contain 150 different field names, and each of them many times', () => {
    const named = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`name ${index}`, 1]));
    const rows = (names: number): string => JSON.stringify({ rows: [named(names), named(names), 'name'] });
    expect(find(rows(maxJsonNames - 1))).toBeUndefined();
    expect(find(rows(maxJsonNames))).toBe('names');
    expect(find(JSON.stringify(named(maxJsonNames + 1), undefined, '\t').replaceAll(':', ' \r\n:'))).toBe(
      'names',
    );
    // Texts that are no names.
    expect(find(JSON.stringify(Object.keys(named(1_000))))).toBeUndefined();
  });

  it('may contain any text', () => {
    expect(find(JSON.stringify({ a: ',[{"\\'.repeat(10_000) }))).toBeUndefined();
    expect(find('"\\')).toBeUndefined();
  });

  it('is measured as it is parsed', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 25 }), fc.integer({ min: 1, max: 50 }), (value, limit) => {
        const excess = find(JSON.stringify(value), limit);
        const [values, empty] = [countValues(value), countEmpty(value)];
        if (excess === undefined) {
          expect(depthOf(value)).toBeLessThanOrEqual(maxJsonDepth);
          expect(values).toBeLessThanOrEqual(limit);
        } else if (excess === 'depth') expect(depthOf(value)).toBeGreaterThan(maxJsonDepth);
        else expect(values + empty).toBeGreaterThan(limit);
      }),
    );
  });
});
