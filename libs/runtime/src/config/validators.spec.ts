import { describe, expect, it } from '@jest/globals';
import { listenHosts, parseDurations } from './validators.js';

describe('listenHosts', () => {
  const parse = (text: string): string => listenHosts()._parse(text);

  it.each(['127.0.0.1', 'localhost', '::', '::1', '127.0.0.1,10.0.0.0/8', '127.0.0.1, fd00::/8'])(
    'accepts %s',
    (text) => {
      expect(parse(text)).toBe(text);
    },
  );

  it.each([
    '',
    ',',
    '127.0.0.1,',
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'a b',
    'localhost/8',
  ])('rejects %j', (text) => {
    expect(() => parse(text)).toThrow('must be addresses or networks');
  });
});

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
