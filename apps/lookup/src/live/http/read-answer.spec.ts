import { networks } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readAnswer } from './read-answer.js';

const rules = {
  operator: { pointer: '/network/name', values: { 'MTN Nigeria': 'MTN', '62120': 'Airtel', Unknown: null } },
  country: { pointer: '/country' },
  ported: { pointer: '/ported', values: { Y: true, N: false, '1': true } },
  dnd: { pointer: '/flags/0' },
};

describe('the answer of a provider', () => {
  it.each([
    [
      { network: { name: 'MTN Nigeria' }, country: 'ng', ported: 'Y', flags: [true] },
      { operator: 'MTN', country: 'NG', ported: true, dnd: true },
    ],
    [
      { network: { name: 62120 }, ported: 1 },
      { operator: 'Airtel', ported: true },
    ],
    [
      { network: { name: ' ntel ' }, ported: false, flags: ['yes'] },
      { operator: 'NTEL', ported: false },
    ],
    [{ network: { name: 'Unknown' }, country: 'Nigeria', ported: 'maybe', flags: [null] }, {}],
    [{ network: { name: 'x'.repeat(65) }, country: 7, flags: [[true]] }, {}],
    [{ network: { name: 'a\0b' } }, {}],
    [{ country: null }, {}],
  ])('%j means %j', (answer, finding) => {
    expect(readAnswer(rules, answer)).toEqual(finding);
  });

  it.each([['nonsense'], [null], [{}], [[]], [{ error: 'quota exceeded' }], [{ network: {} }]])(
    'is none when it is %j',
    (answer) => {
      expect(() => readAnswer(rules, answer)).toThrow(/none of the fields/);
    },
  );

  it('is understood without harm, whatever it is', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const { operator = '', country = 'NG' } = readAnswer(rules, {
          ported: 'Y',
          network: { name: answer },
          country: answer,
        });
        expect(operator.length).toBeLessThanOrEqual(64);
        expect(country).toMatch(/^[A-Z]{2}$/);
      }),
    );
  });

  it.each(networks)('spells %s as airtime does', (network) => {
    expect(readAnswer({ operator: { pointer: '' } }, network.toUpperCase())).toEqual({ operator: network });
  });
});
