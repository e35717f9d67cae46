import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFinding } from './read-finding.js';

const rules = {
  operator: [
    { pointer: '/mccmnc', values: { '62120': 'Airtel', '*': null } },
    { pointer: '/network/name', values: { 'MTN Nigeria': 'MTN', Unknown: null } },
  ],
  country: { pointer: '/country' },
  ported: { pointer: '/ported', values: { Y: true, N: false, '1': true } },
  dnd: { pointer: '/flags/0' },
  lineType: { pointer: '/type', values: { MOBILE: 'mobile', '*': null } },
  roaming: { pointer: '/roaming' },
};
const read = (answer: unknown) => readFinding(rules, JSON.stringify(answer));

describe('the answer of a lookup provider', () => {
  it.each([
    [
      { network: { name: 'MTN Nigeria' }, country: 'ng', ported: 'Y', flags: [true], roaming: false },
      { operator: 'MTN', country: 'NG', ported: true, dnd: true, roaming: false },
    ],
    [
      { mccmnc: 62120, network: { name: 'MTN Nigeria' }, ported: 1, type: 'MOBILE' },
      { operator: 'Airtel', ported: true, lineType: 'mobile' },
    ],
    [
      { mccmnc: '31026', network: { name: ' T-Mobile ' }, ported: false, flags: ['yes'], type: 'mobile' },
      { operator: 'T-Mobile', ported: false },
    ],
    [{ network: { name: 'Unknown' }, country: 'Nigeria', ported: 'maybe', flags: [null] }, {}],
    [{ network: { name: 'x'.repeat(65) }, country: 7, flags: [[true]] }, {}],
    [{ network: { name: 'a\0b' } }, {}],
    [{ country: null }, {}],
  ])('%j means %j', (answer, finding) => {
    expect(read(answer)).toEqual(finding);
  });

  it.each([['nonsense'], [null], [{}], [[]], [{ error: 'quota exceeded' }], [{ network: {} }]])(
    'is empty if it is %j',
    (answer) => {
      expect(read(answer)).toBe('no_field');
    },
  );

  it('cannot be read if it is not JSON', () => {
    expect(readFinding(rules, '<html>')).toBe('unreadable_answer');
  });

  it('may be a value', () => {
    expect(readFinding({ operator: { pointer: '' } }, '"Glo"')).toEqual({ operator: 'Glo' });
  });

  it('gives valid fields for any content', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const finding = read({ ported: 'Y', network: { name: value }, country: value, type: value });
        if (typeof finding === 'string') throw new Error('no finding');
        const { operator = '', country = 'NG' } = finding;
        expect(operator.length).toBeLessThanOrEqual(64);
        expect(country).toMatch(/^[A-Z]{2}$/);
        expect(finding.lineType).toBeUndefined();
      }),
    );
  });
});
