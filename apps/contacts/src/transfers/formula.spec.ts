import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { disarm, rearm } from './formula.js';

describe('formulas in cells', () => {
  it.each(['=1+1', '+234', '-5', '@SUM(A1)', '\t=1', '\r=1', "'=1", "''-", '＝1'])(
    'makes text of %j',
    (text) => {
      expect(disarm(text)).toBe(`'${text}`);
      expect(rearm(disarm(text))).toBe(text);
    },
  );

  it.each(['', 'Ada', "'", "'tis", "O'Neil", ' =1', '5-3'])('leaves %j alone', (text) => {
    expect(disarm(text)).toBe(text);
    expect(rearm(text)).toBe(text);
  });

  it('gives every text back', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', 'a', ' ') });
    fc.assert(fc.property(text, (cell) => rearm(disarm(cell)) === cell));
  });
});
