import { describe, expect, it } from '@jest/globals';
import { validate } from '../validation/validate.js';
import { type ContactFilter, findFilterErrors } from './contact-filter.dto.js';
import { ContactRowsQuery } from './query-rows.dto.js';
import { ChangeSmartlistFields, CreateSmartlistRequest } from './smartlist.dto.js';

const faultsOf = (filter: object): string[] =>
  findFilterErrors(filter as ContactFilter).map(({ field, type }) => `${field} ${type}`);

describe('filters', () => {
  it('report all wrong types at once, at any depth', () => {
    const filters = [{}, { name: 'Name', operator: 'contain', value: 5 }, { name: 1, operator: 'bad' }, 'x'];
    for (const dto of [ContactRowsQuery, CreateSmartlistRequest, ChangeSmartlistFields])
      expect(validate(dto, { name: 'x', filters })).toMatchObject({
        ok: false,
        errors: [
          { field: 'filters.1.value', type: 'string_type' },
          { field: 'filters.2.name', type: 'string_type' },
          { field: 'filters.3', type: 'object_type' },
        ],
      });
  });

  it('report wrong types in groups, empty groups, and groups that are too deep', () => {
    const leaf = { name: 'Name', operator: 'is_empty' };
    const filters = [
      { any: [] },
      { all: 'x' },
      { any: [leaf, { all: [leaf, { ...leaf, value: 5 }, { any: [leaf] }] }, 7] },
      { any: [{ all: [{ all: [], name: 1 }] }] },
    ];
    const result = validate(ContactRowsQuery, { filters });
    expect(result.ok ? [] : result.errors.map(({ field, type }) => `${field} ${type}`)).toEqual([
      'filters.0.any too_short',
      'filters.1.all list_type',
      'filters.2.any.1.all.1.value string_type',
      'filters.2.any.1.all.2.any value_error',
      'filters.2.any.2 object_type',
      'filters.3.any.0.all.0.name string_type',
      'filters.3.any.0.all.0.all value_error',
    ]);
    expect(
      validate(ContactRowsQuery, { filters: [leaf, { any: [leaf, { all: [leaf, leaf] }] }] }),
    ).toMatchObject({
      ok: true,
      value: { filters: [leaf, { any: [leaf, { all: [leaf, leaf] }] }] },
    });
  });

  it('have at most 1,000 values, with those in groups', () => {
    const values = (count: number) => ({ name: 'Name', operator: 'in', value: 'x,'.repeat(count - 1) + 'x' });
    const filters = [values(500), { any: [values(400), { all: [values(99)] }] }];
    const text = { name: 'Name', operator: 'contain', value: ','.repeat(2_000) };
    expect(validate(ContactRowsQuery, { filters: [...filters, text] })).toMatchObject({ ok: true });
    for (const dto of [ContactRowsQuery, CreateSmartlistRequest, ChangeSmartlistFields])
      expect(validate(dto, { name: 'x', filters: [...filters, text, text] })).toEqual({
        ok: false,
        errors: [
          {
            field: 'filters',
            message: 'filters must hold at most 1000 values, with those in groups',
            type: 'too_long',
          },
        ],
      });
  });

  it('with an unknown operator are left to the worker, which also knows the columns', () => {
    const filters = [{ name: 'Name', operator: 'bad' }];
    expect(validate(ContactRowsQuery, { filters })).toMatchObject({ ok: true, value: { filters } });
  });

  it.each<[object, string[]]>([
    [{ column_id: 'zz', operator: 'bad' }, ['operator enum']],
    [{ operator: 'bad' }, ['column_id missing', 'operator enum']],
    [{}, ['column_id missing', 'operator missing']],
    [{ any: [{}] }, []],
    [{ any: [{}], all: [{}] }, ['all value_error']],
    [{ all: [{}], name: 'Name' }, ['all value_error']],
    [{ any: [{}], all: [{}], operator: 'bad' }, ['all value_error', 'any value_error']],
    [{ name: 'Name', operator: 'contain' }, ['value missing']],
    [{ operator: 'equal', value: ' ' }, ['column_id missing', 'value missing']],
    [{ name: 'Name', operator: 'between', value: '1' }, ['value value_error']],
    [{ name: 'Name', operator: 'in', value: ' , ' }, ['value missing']],
    [{ name: 'Name', operator: 'is_empty' }, []],
    [{ name: 'Name', operator: 'is_not_empty', value: '' }, []],
    [{ column_id: '019A8F3E-6C1B-7D2A-9F00-3B5C8E7D1A42', operator: 'equal', value: ',' }, []],
    [{ name: 'Name', operator: 'between', value: ' 1 ,, 2' }, []],
    [{ name: 'Name', operator: 'in', value: '1,' }, []],
  ])('%j', (filter, faults) => {
    expect(faultsOf(filter)).toEqual(faults);
  });
});
