import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { trimSpaces } from './trim-spaces.js';

describe('trimming spaces', () => {
  it('removes spaces at both ends, and nothing else', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(' ', '\t', 'a') }), (text) => {
        expect(trimSpaces(text)).toBe(
          text
            .replace(/^ +/, '')
            .split('')
            .reverse()
            .join('')
            .replace(/^ +/, '')
            .split('')
            .reverse()
            .join(''),
        );
      }),
    );
  });

  it('takes linear time', () => {
    // A quadratic pattern would need minutes.
    const text = `1${' '.repeat(5_000_000)}1`;
    expect(trimSpaces(text)).toBe(text);
  });
});
