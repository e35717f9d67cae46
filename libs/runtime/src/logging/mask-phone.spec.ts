import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { maskPhone, maskPhonesIn } from './mask-phone.js';

describe('maskPhone', () => {
  it.each([
    ['+2348031234567', '+234*******567'],
    ['08031234567', '080*****567'],
    [' 2348031234567 ', '234*******567'],
    ['+447911123', '******' + '****'],
    ['12345', '*****'],
    ['', ''],
  ])('%j becomes %j', (phone, masked) => {
    expect(maskPhone(phone)).toBe(masked);
  });
});

describe('maskPhonesIn', () => {
  it.each([
    ['number 2348031234567 is invalid', 'number 234*******567 is invalid'],
    ['value "+2348031234567"', 'value "+234*******567"'],
    ['Key (recipient)=(08031234567) exists.', 'Key (recipient)=(080*****567) exists.'],
    ['to +234 803 123 4567, from 0803 123 4567', 'to +234**********567, from 080*******567'],
    ['to=+1-202-555-0142;', 'to=+1-2********142;'],
    ['2348031234567,2348031234568', '234*******567,234*******568'],
    ['refused:2348031234567.', 'refused:234*******567.'],
  ])('%s', (text, masked) => {
    expect(maskPhonesIn(text)).toBe(masked);
  });

  it.each([
    'job 019a8b3c-1234-7890-8123-123456789012-2 was added',
    'at 2026-11-15T09:30:00.123000+00:00 and 2026-11-15 09:30:00.123456789+01',
    'until 1794735000123, stream 1794735000123-0',
    'migration 20261115013000_tables',
    'took 0.1234567891 s of 1794735000.123456789',
    'hash 4f123456789012ab, statement_123456789012',
    'port 54321, pid 1234567, 10.0.0.12:5432',
    'at file:///work/app.ts:123:45',
  ])('leaves %s unchanged', (text) => {
    expect(maskPhonesIn(text)).toBe(text);
  });

  const before = fc.constantFrom('', ' ', '"', '(', '=', ': ', 'to ', '\n', ',', '[');
  const after = fc.constantFrom('', ' ', '"', ')', '.', ', ', ' is invalid', '\n', ':', ']');
  const number = fc.oneof(
    fc.stringMatching(/^\+[1-9]\d{8,14}$/),
    fc.stringMatching(/^\d{9,15}$/).filter((digits) => !/^1\d{12}$/.test(digits)),
  );
  const harmless = fc.oneof(
    fc.uuid(),
    fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') })
      .map((date) => date.toISOString()),
    fc.integer({ min: 1_600_000_000_000, max: 1_999_999_999_999 }).map(String),
    fc.integer({ min: 0, max: 99_999_999 }).map(String),
  );

  it('hides every number at any position', () => {
    fc.assert(
      fc.property(before, number, after, (left, phone, right) => {
        expect(maskPhonesIn(left + phone + right)).not.toContain(phone);
      }),
    );
  });

  it('changes neither ids nor times', () => {
    fc.assert(
      fc.property(before, harmless, after, (left, value, right) => {
        expect(maskPhonesIn(left + value + right)).toBe(left + value + right);
      }),
    );
  });
});
