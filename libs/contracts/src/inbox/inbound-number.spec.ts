import { describe, expect, it } from '@jest/globals';
import { parseInboundNumber } from './inbound-number.js';

describe('a number that receives messages', () => {
  it.each([
    ['22345', '22345'],
    [' 22345 ', '22345'],
    ['08031234567', '+2348031234567'],
    [`22345${' '.repeat(100)}`, undefined],
    ['', undefined],
  ])('%j is %j', (given, number) => {
    expect(parseInboundNumber(given, 'NG')).toBe(number);
  });
});
