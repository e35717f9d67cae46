import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { jsonFaults } from './json-faults.js';

const fieldsOf = (value: unknown) => jsonFaults(value).map(({ field }) => field);

describe('jsonFaults', () => {
  it.each([
    [{ a: 'x\0y' }, ['a']],
    [{ a: ['x', '\0'], b: { c: '\ud800' } }, ['a.1', 'b.c']],
    [{ a: '\udc00x' }, ['a']],
    [{ 'x\0': 1 }, ['x\0']],
    [JSON.parse('{"__proto__":{"x":1},"ok":1}'), ['__proto__']],
    [{ a: { constructor: 1 } }, ['a.constructor']],
  ])('finds in %j the fields %j', (value, fields) => {
    expect(fieldsOf(value)).toEqual(fields);
  });

  it.each([[{}], [{ a: 'é😀\r\n\t', b: [null, true, 1.5, { c: '' }] }], [{ constructors: 1, proto: 2 }]])(
    'finds nothing in %j',
    (value) => {
      expect(jsonFaults(value)).toEqual([]);
    },
  );

  it('returns at most 100 faults', () => {
    expect(jsonFaults(Array.from({ length: 10_000 }, () => '\0'))).toHaveLength(100);
  });

  it('shortens long and deep names', () => {
    const name = 'n'.repeat(400);
    const inner = Object.fromEntries(Array.from({ length: 200 }, (_, number) => [`${name}${number}`, '\0']));
    const value = Array.from({ length: 18 }).reduce<object>((within) => ({ [name]: within }), inner);
    const faults = jsonFaults(value);
    expect(faults).toHaveLength(100);
    expect(JSON.stringify(faults).length).toBeLessThan(JSON.stringify(value).length);
    expect(faults[0]).toMatchObject({
      field: expect.stringMatching(/^n{200}…$/),
      message: expect.stringMatching(/^n{200}… contains/),
    });
  });

  it('returns short names completely', () => {
    expect(fieldsOf({ ['n'.repeat(100)]: { ['m'.repeat(99)]: '\0' } })).toEqual([
      `${'n'.repeat(100)}.${'m'.repeat(99)}`,
    ]);
  });

  it('finds a fault in a well-formed text only if it contains U+0000', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(jsonFaults({ text }).length).toBe(text.includes('\0') ? 1 : 0);
      }),
    );
  });
});
