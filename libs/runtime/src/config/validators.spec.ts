import { describe, expect, it } from '@jest/globals';
import { parseDurations } from './validators.js';

describe('parseDurations', () => {
  it.each([
    ['5s', [5_000]],
    ['250ms, 5s,30s,2m,10m,1h', [250, 5_000, 30_000, 120_000, 600_000, 3_600_000]],
  ])('reads %s', (text, milliseconds) => {
    expect(parseDurations(text)).toEqual(milliseconds);
  });

  it.each(['', '5', '0s', '-1s', '5 s', '1d', '5s,', '5s,5s', '1m,30s', '1.5h'])('rejects %j', (text) => {
    expect(parseDurations(text)).toBeUndefined();
  });
});
