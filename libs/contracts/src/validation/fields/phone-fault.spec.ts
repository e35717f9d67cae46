import { describe, expect, it } from '@jest/globals';
import { phoneError, storedPhoneFault } from './phone-fault.js';

const form = 'must be a phone number such as +2348031234567';
const advice = '. Start a number of another country with + and its country code';

describe('the error of a text that is not a phone number', () => {
  it.each([
    ['4155552671', '4155552671', advice],
    ['(415) 555-2671', '(415) 555-2671', advice],
    ['447911123456', '447911123456', advice],
    ['0801234567', '0801234567', ''],
    ['801234567', '801234567', ''],
    ['112', '112', ''],
    ['12345', '12345', ''],
    ['(801) 234-567', '(801) 234-567', ''],
    ['+999123456789', '+999123456789', ''],
    ['call me', 'call me', ''],
    ['9'.repeat(41), `${'9'.repeat(40)}…`, ''],
    ['9'.repeat(10_000), `${'9'.repeat(40)}…`, ''],
  ])('names it, and asks for + if only that may be missing: %.20s', (given, shown, asked) => {
    expect(phoneError('to', given)).toEqual({
      field: 'to',
      message: `to ${form}, not "${shown}"${asked}`,
      type: 'phone',
    });
    expect(storedPhoneFault(given)).toBe(form + asked);
  });
});
