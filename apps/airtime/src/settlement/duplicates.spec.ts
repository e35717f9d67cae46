import { describe, expect, it } from '@jest/globals';
import { findDuplicates } from './duplicates.js';

const second = 1_000;

/** Purchases in the order of their ids: state, external_ref, and seconds after the first. */
const group = (...given: [state: 'pending' | 'sent' | 'success', ref: string | null, seconds?: number][]) =>
  given.map(([state, externalRef, seconds = 0], index) => ({
    index,
    state,
    externalRef,
    createdAt: new Date(seconds * second),
  }));

const duplicatesOf = (...given: Parameters<typeof group>): number[] =>
  findDuplicates(group(...given)).map(({ index }) => index);

describe('findDuplicates', () => {
  it('keeps the first of several', () => {
    expect(duplicatesOf(['pending', null], ['pending', null], ['pending', null])).toEqual([1, 2]);
  });

  it('keeps a submitted purchase, even if it is later', () => {
    expect(duplicatesOf(['pending', null], ['sent', null])).toEqual([0]);
    expect(duplicatesOf(['pending', null], ['pending', null], ['success', null])).toEqual([0, 1]);
  });

  it('ignores purchases that are duplicates themselves', () => {
    expect(duplicatesOf(['sent', 'a'], ['pending', null], ['pending', 'b'])).toEqual([1]);
  });

  it('compares times and references', () => {
    expect(duplicatesOf(['pending', null], ['pending', null, 60], ['pending', null, 61])).toEqual([1]);
    expect(duplicatesOf(['pending', 'a'], ['pending', 'b'], ['pending', 'c'])).toEqual([]);
    expect(duplicatesOf(['pending', 'a'], ['pending', 'a', 86_400], ['pending', 'a', 86_401])).toEqual([1]);
    expect(duplicatesOf(['pending', 'a'], ['pending', null, 61])).toEqual([]);
  });

  it('does not compare purchases with different references', () => {
    let reads = 0;
    const purchases = Array.from({ length: 1_000 }, (_, index) => ({
      state: index % 2 === 0 ? ('pending' as const) : ('sent' as const),
      externalRef: `r${String(index)}`,
      get createdAt() {
        reads += 1;
        return new Date(0);
      },
    }));
    expect(findDuplicates(purchases)).toEqual([]);
    expect(reads).toBeLessThan(5 * purchases.length);
  });
});
