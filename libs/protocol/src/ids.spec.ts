import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxId, firstIdAt, isId, newId, timeOfId } from './ids.js';

describe('timeOfId', () => {
  it('is the time of creation', () => {
    const before = Date.now();
    const made = timeOfId(newId()).getTime();
    expect(made).toBeGreaterThanOrEqual(before - 1);
    expect(made).toBeLessThanOrEqual(Date.now() + 1);
  });

  it('returns the moment given to firstIdAt, and first ids sort by time', () => {
    const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, moment, (one, other) => {
        expect(timeOfId(firstIdAt(one))).toEqual(one);
        expect(isId(firstIdAt(one))).toBe(true);
        expect(firstIdAt(one) < firstIdAt(other)).toBe(one < other);
        expect(firstIdAt(one) < maxId).toBe(true);
      }),
    );
  });
});
