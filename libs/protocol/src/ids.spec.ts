import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maxId, firstIdAt, isId, newId, timeOfId } from './ids.js';

describe('timeOfId', () => {
  it('returns the time of creation', () => {
    const made = timeOfId(newId()).getTime();
    // Ids never go back, but the clock of the machine may: by seconds, when a virtual machine is resumed.
    expect(Math.abs(made - Date.now())).toBeLessThan(60_000);
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
