import { networks } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readResponse, valueAt } from './read-response.js';

const rules = {
  operator: { pointer: '/network/name', values: { 'MTN Nigeria': 'MTN', '62120': 'Airtel', Unknown: null } },
  country: { pointer: '/country' },
  ported: { pointer: '/ported', values: { Y: true, N: false, '1': true } },
  dnd: { pointer: '/flags/0' },
};

describe('the response of a provider', () => {
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
    expect(readResponse(rules, answer)).toEqual(finding);
  });

  it.each([['nonsense'], [null], [{}], [[]], [{ error: 'quota exceeded' }], [{ network: {} }]])(
    'is rejected if it is %j',
    (answer) => {
      expect(() => readResponse(rules, answer)).toThrow(/none of the fields/);
    },
  );

  it('gives valid fields for any content', () => {
    fc.assert(
      fc.property(fc.anything(), (answer) => {
        const { operator = '', country = 'NG' } = readResponse(rules, {
          ported: 'Y',
          network: { name: answer },
          country: answer,
        });
        expect(operator.length).toBeLessThanOrEqual(64);
        expect(country).toMatch(/^[A-Z]{2}$/);
      }),
    );
  });

  it.each(networks)('spells %s like the airtime API', (network) => {
    expect(readResponse({ operator: { pointer: '' } }, network.toUpperCase())).toEqual({ operator: network });
  });
});

const document = { network: { 'na/me': 'MTN', '~x': 1 }, list: [{ dnd: true }], '': 7, none: null };

describe('a JSON pointer', () => {
  it.each([
    ['', document],
    ['/network/na~1me', 'MTN'],
    ['/network/~0x', 1],
    ['/list/0/dnd', true],
    ['/', 7],
    ['/none', null],
    ['/none/x', undefined],
    ['/list/1', undefined],
    ['/network/name/0', undefined],
    ['/__proto__/x', undefined],
    ['/constructor', undefined],
  ])('%j', (pointer, value) => {
    expect(valueAt(document, pointer)).toEqual(value);
  });

  it('finds a value under any names', () => {
    const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }),
        fc.jsonValue(),
        (names, value) => {
          const nested = names.reduceRight<unknown>(
            (inner, name) => Object.fromEntries([[name, inner]]),
            value,
          );
          expect(valueAt(nested, names.map((name) => `/${escaped(name)}`).join(''))).toEqual(value);
        },
      ),
    );
  });
});
