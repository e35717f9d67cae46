import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { escapeFormula, unescapeFormula } from './formula.js';

describe('formulas in cells', () => {
  it.each(['=1+1', '+234', '-5', '@SUM(A1)', '\t=1', '\r=1', "'=1", "''-", '＝1'])(
    'are escaped: %j',
    (text) => {
      expect(escapeFormula(text)).toBe(`'${text}`);
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    },
  );

  it.each(['', 'Ada', "'", "'tis", "O'Neil", ' =1', '5-3'])('do not include %j', (text) => {
    expect(escapeFormula(text)).toBe(text);
    expect(unescapeFormula(text)).toBe(text);
  });

  it('are restored exactly', () => {
    const text = fc.string({ unit: fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', 'a', ' ') });
    fc.assert(fc.property(text, (cell) => unescapeFormula(escapeFormula(cell)) === cell));
  });
});
