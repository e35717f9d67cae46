import { work } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import { parseRecipient } from './parse-recipient.js';

describe('a recipient', () => {
  const read = (numbers: readonly string[]): number => {
    const before = work.phonesRead;
    for (const number of numbers) parseRecipient(number);
    return work.phonesRead - before;
  };
  const numbers = Array.from({ length: 10_001 }, (_, index) => `+234803${String(index).padStart(7, '0')}`);

  it('is read once for several decisions, and again after 10,000 others', () => {
    expect(parseRecipient('+2348039999999')).toMatchObject({ country: 'NG', callingCode: '234' });
    expect(read(['+2348039999999', '+2348039999999'])).toBe(0);
    expect(read(numbers)).toBe(10_001);
    expect(read(numbers.slice(1))).toBe(0);
    expect(read(['+2348039999999'])).toBe(1);
  });

  it('that is not a number is read once, too', () => {
    expect(read(['erased', 'erased'])).toBe(1);
    expect(parseRecipient('erased')).toBeUndefined();
  });
});
