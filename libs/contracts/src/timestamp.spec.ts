import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseTimestamp, formatTimestamp } from './timestamp.js';

describe('a timestamp', () => {
  it('has six decimals and the offset of UTC', () => {
    expect(formatTimestamp(new Date('2026-11-15T09:30:00.123Z'))).toBe('2026-11-15T09:30:00.123000+00:00');
    expect(formatTimestamp(new Date('2026-11-15T00:30+01:00'))).toBe('2026-11-14T23:30:00.000000+00:00');
  });

  it.each([
    ['2026-11-15', '2026-11-15T00:00:00.000Z'],
    ['2026-11-15T09:30', '2026-11-15T09:30:00.000Z'],
    ['2026-11-15T09:30:01', '2026-11-15T09:30:01.000Z'],
    ['2026-11-15T09:30:01.5Z', '2026-11-15T09:30:01.500Z'],
    ['2026-11-15T09:30:00.123000+00:00', '2026-11-15T09:30:00.123Z'],
    ['2026-11-15T09:30:00+01:00', '2026-11-15T08:30:00.000Z'],
    ['2026-11-15T09:30:00 01:00', '2026-11-15T08:30:00.000Z'],
    ['2026-11-15T09:30:00-01:00', '2026-11-15T10:30:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ])('can be %s', (given, expected) => {
    expect(parseTimestamp(given)?.toISOString()).toBe(expected);
  });

  it.each([
    ...['', 'yesterday', '1763198400', '15.11.2026', '2026-11', '2026-1-1', '2026-02-30', '2026-13-01'],
    ...['2026-11-15T25:00', '2026-11-15T09', '2026-11-15 09:30', '2026-11-15T09:30+1', '+002026-11-15'],
    '2026-11-15T09:30:00+99:00',
  ])('cannot be %j', (given) => {
    expect(parseTimestamp(given)).toBeUndefined();
  });

  it('can be parsed after it was written', () => {
    const moments = fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(moments, (moment) => {
        expect(parseTimestamp(formatTimestamp(moment))).toEqual(moment);
      }),
    );
  });
});
