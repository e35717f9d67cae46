import { describe, expect, it } from '@jest/globals';
import { validate } from '../validation/validate.js';
import { ContactRowsQuery } from './query-rows.dto.js';
import { ChangeSmartlistFields, CreateSmartlistRequest } from './smartlist.dto.js';

const faultsOf = (wish: object): string[] => {
  const result = validate(ContactRowsQuery, wish);
  return result.ok ? [] : result.errors.map(({ field, type }) => `${field} ${type}`);
};

describe('filters', () => {
  it('report all errors that do not depend on the columns at once', () => {
    const filters = [
      { column_id: 'zz', operator: 'bad' },
      {},
      { name: 'Name', operator: 'contain' },
      { operator: 'equal', value: ' ' },
      { name: 'Name', operator: 'between', value: '1' },
      { name: 'Name', operator: 'in', value: ' , ' },
      { name: 'Name', operator: 'in', value: 'x,'.repeat(1_001) },
      { name: 'Name', operator: 'contain', value: 5 },
      'x',
    ];
    expect(faultsOf({ smartlist_id: 'x', filters }).sort()).toEqual([
      'filters.0.operator enum',
      'filters.1.column_id missing',
      'filters.1.operator missing',
      'filters.2.value missing',
      'filters.3.column_id missing',
      'filters.3.value missing',
      'filters.4.value value_error',
      'filters.5.value missing',
      'filters.6.value too_long',
      'filters.7.value string_type',
      'filters.8 object_type',
      'smartlist_id value_error',
    ]);
  });

  it('are judged alike wherever they stand', () => {
    const filters = [{ operator: 'contain', value: 'x' }];
    const refused = { ok: false, errors: [{ field: 'filters.0.column_id', type: 'missing' }] };
    for (const dto of [CreateSmartlistRequest, ChangeSmartlistFields])
      expect(validate(dto, { name: 'x', filters })).toMatchObject(refused);
  });

  it.each([
    { name: 'Name', operator: 'is_empty' },
    { name: 'Name', operator: 'is_not_empty', value: '' },
    { column_id: '019A8F3E-6C1B-7D2A-9F00-3B5C8E7D1A42', operator: 'equal', value: ',' },
    { name: 'Name', operator: 'between', value: ' 1 ,, 2' },
    { name: 'Name', operator: 'in', value: '1,' },
  ])('may be %j', (filter) => {
    expect(faultsOf({ filters: [filter] })).toEqual([]);
  });
});
