import { describe, expect, it } from '@jest/globals';
import { readFactor, repetitions } from './suite.js';

describe('FUZZ_FACTOR', () => {
  it.each([
    [undefined, 1],
    ['10', 10],
    ['0.5', 0.5],
  ])('%j is %d', (text, factor) => {
    expect(readFactor(text)).toBe(factor);
  });

  it.each(['', 'ten', '0', '-1', 'NaN', 'Infinity'])('%j is rejected', (text) => {
    expect(() => readFactor(text)).toThrow(`not "${text}"`);
  });
});

describe('repetitions', () => {
  it('are whole numbers above 0', () => {
    const count = repetitions(0.3);
    expect([Number.isInteger(count), count > 0]).toEqual([true, true]);
  });
});
