import { work } from '@gangan/protocol';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max';
import { parsePhone } from '../phone-number.js';
import { allContracts } from '../registry.js';
import { nestedFields } from './fields/nested.js';
import { NameSearch } from './name-search.js';
import { fieldsOf } from './rules.js';
import { findUnknownFields } from './unknown-fields.js';
import { validate } from './validate.js';
import { defaultSettings } from '../settings.js';

const dtos = allContracts.flatMap((contract) => (contract.kind === 'request' ? [contract.request] : []));

/** Counts, because times depend on the machine. */
describe('a hostile request, of every kind, costs no more than', () => {
  it('50 comparisons of names, however many unknown fields it has', () => {
    for (const dto of dtos) {
      const similar = fieldsOf(dto).flatMap((field) =>
        Array.from({ length: 100 }, (_, index) => [`${field.slice(0, -1)}${index}`, 1] as const),
      );
      const unknown = Object.fromEntries(similar);
      const lists = [...nestedFields.of(dto)].map(([field]) => [field, Array(10).fill(unknown)]);
      const names = new NameSearch();
      const plain = { ...unknown, ...Object.fromEntries(lists) } as object;
      const result = validate(dto, plain, defaultSettings, names);
      findUnknownFields(dto, plain, result.ok ? [] : result.errors, names);
      expect([dto.name, names.comparisons <= 50]).toEqual([dto.name, true]);
    }
  });

  describe('two readings of each phone number', () => {
    /** Possible numbers of every calling code that are not valid: they begin with a trunk zero, a one or a nine. */
    const numbers = [...new Set(getCountries().map((country) => getCountryCallingCode(country)))].flatMap(
      (code) => ['012345678', '0123456789', '111111111', '9999999999'].map((rest) => `+${code}${rest}`),
    );
    const readings = (run: () => void): number => {
      const before = work.phonesParsed;
      run();
      return work.phonesParsed - before;
    };
    beforeAll(() => {
      for (const number of numbers) parsePhone(number);
    });

    it('of any calling code', () => {
      for (const number of numbers)
        for (const text of [number, number.slice(1), `00${number.slice(1)}`])
          expect([text, readings(() => parsePhone(text)) <= 2]).toEqual([text, true]);
    });

    it('in every field', () => {
      const some = numbers.filter((_, index) => index % 10 === 0);
      for (const dto of dtos)
        for (const field of fieldsOf(dto))
          for (const [value, count] of [
            [some[0], 1],
            [some.join(','), some.length],
            [some, some.length],
          ] as const) {
            const read = readings(() => validate(dto, { [field]: value }));
            expect([dto.name, field, read <= 2 * count]).toEqual([dto.name, field, true]);
          }
    });
  });
});
