import { describe, expect, it } from '@jest/globals';
import { parseRetryAfter } from './retry-after.js';

const now = new Date('2026-11-15T09:30:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Sun, 15 Nov 2026 09:31:00 GMT', 60_000],
    ['Sun, 15 Nov 2026 09:00:00 GMT', 0],
  ])('%j means %d ms', (header, ms) => {
    expect(parseRetryAfter(header, now)).toBe(ms);
  });

  it.each([
    '',
    'soon',
    '-5',
    '1.5',
    '1e3',
    '0x10',
    '99999999999',
    '2026-11-15',
    'Sun, 99 Nov 2026 09:31:00 GMT',
  ])('%j is invalid', (header) => {
    expect(parseRetryAfter(header, now)).toBeUndefined();
  });
});
