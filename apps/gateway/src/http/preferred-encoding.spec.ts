import { describe, expect, it } from '@jest/globals';
import { preferredEncoding } from './preferred-encoding.js';

describe('the encoding of a response', () => {
  it.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'br'],
    ['GZIP', 'gzip'],
    ['gzip, br;q=0', 'gzip'],
    ['gzip; q=0.000, br ; q = 0', 'identity'],
    ['br;q=0.001', 'br'],
    ['*', 'identity'],
    ['x-br, gzipped', 'identity'],
  ])('for Accept-Encoding %p is %s', (accepted, encoding) => {
    expect(preferredEncoding(accepted)).toBe(encoding);
  });
});
