import { parsePhone } from '@gangan/contracts';
import { repetitions } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type NumberPatterns, patternsOf } from './number-pattern.js';

const patternFor = (given: string, region = 'NG', kind: keyof NumberPatterns = 'text'): RegExp => {
  const phone = parsePhone(given, region);
  if (!phone) throw new Error(`${given} is not a phone number`);
  return new RegExp(patternsOf(phone, region)[kind]);
};

describe('the pattern of a number', () => {
  const pattern = patternFor('+2348034234567');

  it.each([
    ...['08034234567', '8034234567', '2348034234567', '+2348034234567', '002348034234567'],
    ...['0803 423 4567', '+234 (0) 803-423-4567', '(0803) 423.4567', '+234\u00a0803\u2011423\u20114567'],
    ...['12,08034234567', '2026-11-17 08034234567', '+2348031111001 08034234567', 'tél :\u00a008034234567'],
    ...[
      'line 12 8034234567',
      '{"to":"2348034234567"}',
      'to=%2B&08034234567.',
      'x8034234567y',
      '100 2348034234567',
    ],
  ])('finds %s', (text) => {
    expect(text).toMatch(pattern);
  });

  it.each([
    ...['+1 (803) 423-4567', '1-803-423-4567', '+44 8034234567', '0044 8034234567', '+44 (0) 803 423 4567'],
    ...['0.8034234567', '12.8034234567', '8034234567.5', '+8034234567', '+ 8034234567', '18034234567'],
    ...['80342345671', '08034234568', '+44.8034234567', '+1 (0803) 423 4567', '+44 2348034234567'],
  ])('does not find %s', (text) => {
    expect(text).not.toMatch(pattern);
  });

  it('of a short number needs its calling code', () => {
    const short = patternFor('+6834002');
    for (const text of ['+683 4002', '00683-4002', 'call +6834002.']) expect(text).toMatch(short);
    for (const text of ['order 4002', '40.02', '4002', '868 683 4002', '+1 868 683 4002'])
      expect(text).not.toMatch(short);
  });

  it('of a foreign number needs its calling code', () => {
    const foreign = patternFor('+18034234567');
    for (const text of ['+1 (803) 423-4567', '1 803 423 4567']) expect(text).toMatch(foreign);
    for (const text of ['8034234567', '08034234567', '+2348034234567', '+44 18034234567'])
      expect(text).not.toMatch(foreign);
  });

  it('of a whole value accepts nothing else', () => {
    const exact = patternFor('+2348034234567', 'NG', 'exact');
    for (const text of ['0803 423 4567', '(+234) 8034234567 ', '2348034234567']) expect(text).toMatch(exact);
    for (const text of ['+1 (803) 423-4567', 'to 08034234567', '080342345678'])
      expect(text).not.toMatch(exact);
  });
});

describe('the pattern of any number', () => {
  const regions = fc.constantFrom('NG', 'US', 'GB', 'GM', 'CI');
  const phones = fc
    .tuple(
      fc.constantFrom('234803', '2348', '1803', '4479', '220', '683', '225', '39', '232'),
      fc.stringMatching(/^\d{4,9}$/),
    )
    .map(([start, rest]) => `+${start}${rest}`)
    .filter((text) => parsePhone(text)?.e164 === text);
  const separators = fc.constantFrom('', ' ', '-', '.', '\u00a0', ' (');
  const around = fc.constantFrom('', ', ', ';', '"', '\n', 'call ', ': ');

  it('finds every notation that parsePhone reads as the number with its calling code', () => {
    fc.assert(
      fc.property(phones, regions, separators, around, around, (e164, region, between, before, after) => {
        const phone = parsePhone(e164);
        const written = `+${phone?.callingCode}${between}${phone?.nationalNumber}`;
        expect(`${before}${written}${after}`).toMatch(patternFor(e164, region));
      }),
      { numRuns: repetitions(15, 50) },
    );
  });

  it('does not find what parsePhone reads as another number', () => {
    const codes = fc.constantFrom('1', '44', '49', '233', '7', '27', '234', '91');
    const prefixes = fc.constantFrom('+', '00', '', '+ ', '(+');
    fc.assert(
      fc.property(phones, regions, codes, prefixes, separators, (e164, region, code, prefix, between) => {
        const national = parsePhone(e164)?.nationalNumber ?? '';
        const pattern = patternFor(e164, region);
        for (const digits of [national, `0${national}`]) {
          const written = `${prefix}${code}${between}${digits}`;
          const other = parsePhone(written, region);
          if (other && other.e164 !== e164) expect(`is ${written}, no`).not.toMatch(pattern);
        }
        for (const digit of ['0', '7']) expect(`${e164}${digit}`).not.toMatch(pattern);
        expect(`${digitsOf(national)}.5`).not.toMatch(pattern);
        expect(`0.${digitsOf(national)}`).not.toMatch(pattern);
      }),
      { numRuns: repetitions(15, 50) },
    );
  });
});

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '');
