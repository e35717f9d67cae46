import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { valueAt } from './json-pointer.js';

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

  it('finds what lies under any names', () => {
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
