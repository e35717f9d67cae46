import { work } from '@gangan/protocol';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile';
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { parsePhone } from './phone-number.js';

describe('a phone number', () => {
  it.each([
    ['08031234567', '+2348031234567', 'national, with trunk prefix'],
    ['8031234567', '+2348031234567', 'national, without it'],
    ['2348031234567', '+2348031234567', 'international, without plus'],
    ['23408031234567', '+2348031234567', 'both country code and trunk prefix'],
    ['+2348031234567', '+2348031234567', 'international'],
    ['+23408031234567', '+2348031234567', 'international with a trunk prefix left in'],
    ['002348031234567', '+2348031234567', 'dialled internationally'],
    ['+234 803 123 4567', '+2348031234567', 'spaces'],
    ['+234\u00a0803\u00a0123\u00a04567', '+2348031234567', 'spaces that do not break'],
    ['0803-123-4567', '+2348031234567', 'hyphens'],
    ['0803\u2011123\u20114567', '+2348031234567', 'hyphens that do not break'],
    ['(0803) 123.4567', '+2348031234567', 'brackets and dots'],
    ['(+234) 803 123 4567', '+2348031234567', 'a bracketed country code'],
    ['  08031234567 ', '+2348031234567', 'spaces around it'],
    ['447911123456', '+447911123456', 'foreign, without plus'],
    ['00447911123456', '+447911123456', 'foreign, dialled'],
    ['12025550123', '+12025550123', 'American, without plus'],
    ['+44 (0) 20 7946 0000', '+442079460000', 'the British (0)'],
    ['+390612345678', '+390612345678', 'an Italian zero that is part of the number'],
    ['+447700900123', '+447700900123', 'fictional: possible, but not assigned'],
    ['+15555550123', '+15555550123', 'fictional American'],
    ['0015555550123', '+15555550123', 'fictional American, dialled'],
    ['+2347000000002', '+2347000000002', "the simulator's"],
    ['07000000002', '+2347000000002', "the simulator's, nationally"],
    ['06031234567', '+2346031234567', 'an unassigned range, with its full national part'],
    ['+80012345678', '+80012345678', 'a number of no country'],
    ['+2250123456789', '+2250123456789', 'an Ivorian zero that is part of the number'],
    ['+2250000000000', '+2250000000000', 'fictional Ivorian: there is no trunk prefix, so the zero counts'],
    ['+390000000000', '+390000000000', 'fictional Italian, likewise'],
    ['00390000000000', '+390000000000', 'fictional Italian, dialled'],
  ])('is read from %s as %s (%s)', (given, e164) => {
    expect(parsePhone(given)).toMatchObject({ given, e164 });
  });

  it.each([
    ['', 'nothing'],
    ['   ', 'blank'],
    ['+', 'only a plus'],
    ['00', 'only a dialling prefix'],
    ['()-.', 'only separators'],
    ['112', 'an emergency number'],
    ['+112', 'an emergency number with a plus'],
    ['12345', 'five digits'],
    ['0801234567', 'one digit short'],
    ['801234567', 'one digit short, without trunk prefix'],
    ['+2340801234567', 'one digit short, behind a country code and a trunk prefix'],
    ['+234801234567', 'one digit short, international'],
    ['+4400000000', 'British, nothing but trunk prefixes'],
    ['080312345678', 'one digit too many'],
    ['+23480312345678901', 'more digits than any number may have'],
    ['2348031234567890123', 'far too many digits'],
    ['15555550123', 'fictional and without a plus: it could be anybody'],
    ['4155552671', 'American, without calling code: it could be anybody'],
    ['6031234567', 'an unassigned range without its trunk zero'],
    ['2344155552671', 'a country code before an unassigned range, without a plus'],
    ['+999123456789', 'no such country code'],
    ['08031234567;ext=1', 'an extension'],
    ['08031234567 ext. 1', 'an extension in words'],
    ['08031234567x1', 'an extension, short'],
    ['08031234567#1', 'an extension, dialled'],
    ['0800FLOWERS', 'letters'],
    ['tel:+2348031234567', 'a link'],
    ['08031234567,08031234568', 'two numbers'],
    ['08031234567 08031234568', 'two numbers'],
    ['08031234567/08031234568', 'two numbers'],
    ['0803+1234567', 'a plus in the middle'],
    ['++2348031234567', 'two pluses'],
    ['-08031234567\r\n', 'a line break'],
    ['0803\t1234567', 'a tab'],
    ['0803\u00001234567', 'NUL'],
    ['٠٨٠٣١٢٣٤٥٦٧', 'digits of another script'],
    ['0'.repeat(10_000), 'a very long one'],
    [' '.repeat(10_000) + 'x', 'a very long blank'],
  ])('cannot be %j (%s)', (given) => {
    expect(parsePhone(given)).toBeUndefined();
  });

  it.each([
    ['+234 803 123 4567', true],
    ['002348031234567', true],
    ['2348031234567', true],
    ['234 803 123 4567', true],
    ['447911123456', true],
    ['08031234567', false],
    ['8031234567', false],
  ])('written as %s is international: %s', (given, international) => {
    expect(parsePhone(given)?.international).toBe(international);
  });

  it('has its country, if there is one', () => {
    expect(parsePhone('08031234567')).toMatchObject({ country: 'NG', callingCode: '234', valid: true });
    expect(parsePhone('+442079460000')).toMatchObject({ country: 'GB', callingCode: '44', valid: true });
    expect(parsePhone('+15555550123')).toMatchObject({ callingCode: '1', valid: false });
    expect(parsePhone('+15555550123')).not.toHaveProperty('country');
    expect(parsePhone('+80012345678')).not.toHaveProperty('country');
  });

  it('without a calling code is read in the given region', () => {
    expect(parsePhone('07911123456', 'GB')?.e164).toBe('+447911123456');
    expect(parsePhone('2348031234567', 'GB')?.e164).toBe('+2348031234567');
    expect(parsePhone('2025550123', 'US')?.e164).toBe('+12025550123');
    expect(parsePhone('5555550123', 'US')).toBeUndefined();
    expect(parsePhone('0000000000', 'IT')).toBeUndefined();
    expect(() => parsePhone('5555550123', 'XX')).toThrow('"XX" is not a region');
  });
});

describe('parsePhone', () => {
  const separators = fc.constantFrom('', ' ', '-', '.', '(', ')');
  const anyDigits = fc.stringMatching(/^\d{1,20}$/);

  it('never throws, and returns E.164 that parses to itself', () => {
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      anyDigits,
      anyDigits.map((digits) => `+${digits}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const phone = parsePhone(text);
        if (!phone) return;
        expect(phone.given).toBe(text);
        expect(phone.e164).toMatch(/^\+[1-9]\d{5,14}$/);
        expect(parsePhone(phone.e164)).toMatchObject({ e164: phone.e164, international: true });
        expect(phone.e164).toBe(`+${phone.callingCode}${phone.nationalNumber}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it('ignores separators', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^80[35]\d{7}$/),
        fc.array(separators, { minLength: 10, maxLength: 10 }),
        (digits, between) => {
          const written = Array.from(digits, (digit, index) => digit + (between[index] ?? '')).join('');
          expect(parsePhone(`+234${written}`)?.e164).toBe(`+234${digits}`);
          expect(parsePhone(`00234${written}`)?.e164).toBe(`+234${digits}`);
          expect(parsePhone(`0${written}`)?.e164).toBe(`+234${digits}`);
        },
      ),
    );
  });

  it('reads bare digits as decided: valid in the region, else valid abroad, else with the trunk zero', () => {
    const digits = fc.oneof(
      fc.stringMatching(/^[1-9]\d{6,14}$/),
      fc.stringMatching(/^0[1-9]\d{9}$/),
      fc.stringMatching(/^(234|44|1|91)\d{10}$/),
    );
    fc.assert(
      fc.property(digits, (text) => {
        const local = parsePhoneNumberFromString(text, 'NG');
        const abroad = parsePhone(`+${text}`);
        const isFull = /^0[1-9]\d{9}$/.test(text);
        const expected = local?.isValid()
          ? local.number
          : abroad?.valid
            ? abroad.e164
            : isFull
              ? `+234${text.slice(1)}`
              : undefined;
        expect([text, parsePhone(text)?.e164]).toEqual([text, expected]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('never accepts five digits, and never returns more than fifteen', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^\+?\d{1,5}$/),
        fc.stringMatching(/^\+[1-9]\d{15,25}$/),
        (short, long) => {
          expect(parsePhone(short)).toBeUndefined();
          expect(parsePhone(long)?.e164.length ?? 0).toBeLessThanOrEqual('+'.length + 15);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('the work of reading a number', () => {
  const workOf = (texts: readonly string[]) => {
    const before = { ...work };
    for (const text of texts) parsePhone(text);
    return { numbers: work.phonesRead - before.phonesRead, parsed: work.phonesParsed - before.phonesParsed };
  };
  /** Numbers that are valid, possible or a digit short, with and without `+`. */
  const spellings = (country: CountryCode): string[] => {
    const [code, national] = [getCountryCallingCode(country), examples[country]];
    return [national, national.replaceAll(/\d/g, '0')]
      .flatMap((digits) => [digits, `0${digits}`, `0${digits.slice(1)}`, `1${digits.slice(1)}`])
      .flatMap((digits) => [`+${code}${digits}`, `${code}${digits}`]);
  };
  const all = getCountries().flatMap(spellings);

  it('is that of one or two parsings, whatever its calling code', () => {
    workOf(all);
    const most = Math.max(...all.map((text) => workOf([text]).parsed));
    expect([all.length > 3_000, most]).toEqual([true, 2]);
  });

  it('is the same for numbers of North America that begin with a zero', () => {
    const numbers = (prefix: string): string[] =>
      Array.from({ length: 1_000 }, (_, index) => `+1${prefix}${String(5_550_000 + index)}`);
    workOf(numbers('012'));
    for (const prefix of ['012', '555', '202', '340'])
      expect(workOf(numbers(prefix))).toEqual({ numbers: 1_000, parsed: 1_000 });
  });
});
