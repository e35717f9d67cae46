import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Occupancy } from './occupancy.js';

/** Lets each take all it may, in turn. */
const fill = (most: number, organisations: readonly string[]): number[] => {
  const occupancy = new Occupancy(most);
  return organisations.map((organisation) => {
    const count = occupancy.freeFor(organisation);
    occupancy.add(organisation, count);
    return count;
  });
};

describe('slots', () => {
  it('are never all held by one, nor by the first few', () => {
    expect(fill(64, ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).toEqual([32, 0, 16, 8, 4, 2, 1, 1, 0]);
  });

  it('are given to somebody as long as there are any, and never twice', () => {
    const turns = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), turns, (most, organisations) => {
        const given = fill(most, organisations).reduce((sum, count) => sum + count, 0);
        expect(given).toBeLessThanOrEqual(most);
        const occupancy = new Occupancy(most, new Map([['a', given]]));
        expect(occupancy.freeFor('new')).toBe(Math.ceil((most - given) / 2));
      }),
    );
  });

  it('are free again when they are given back', () => {
    const occupancy = new Occupancy(4);
    occupancy.add('a', 2);
    expect([occupancy.total, occupancy.free, occupancy.freeFor('a'), occupancy.freeFor('b')]).toEqual([
      2, 2, 0, 1,
    ]);
    const copy = occupancy.copy();
    occupancy.add('a', -2);
    expect([occupancy.free, copy.free]).toEqual([4, 2]);
  });
});
