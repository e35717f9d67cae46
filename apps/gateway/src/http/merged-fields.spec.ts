import { describe, expect, it } from '@jest/globals';
import { mergeFields } from './body-or-query.js';

describe('the fields of a GET', () => {
  it.each([
    [{ phone: '1' }, {}, { phone: '1' }],
    [{}, { phone: '1' }, { phone: '1' }],
    [{ phone: '1' }, { phone: '1' }, { phone: '1' }],
    [{ phone: null }, { phone: '1' }, { phone: '1' }],
    [{}, { phone: ' 2348031234567' }, { phone: '+2348031234567' }],
    [{ phone: '+234' }, { phone: ' 234' }, { phone: '+234' }],
    [{}, { phone: ' x' }, { phone: ' x' }],
    [{}, { phone: ['1', '1'] }, { phone: ['1', '1'] }],
    [{}, {}, {}],
  ])('from the body %j and the query %j are %j', (body, query, fields) => {
    expect(mergeFields(body, query)).toEqual(fields);
  });

  it.each([
    [{ phone: '1' }, { phone: '2' }, 'phone'],
    [{ phone: 1 }, { phone: '1' }, 'phone'],
    [{ phone: '' }, { phone: '1' }, 'phone'],
    [{}, { phone: '\0' }, 'phone'],
    [{}, { constructor: '1' }, 'constructor'],
  ])('are refused when the body is %j and the query %j', (body, query, field) => {
    expect(() => mergeFields(body, query)).toThrow(
      expect.objectContaining({
        status: 400,
        fields: [expect.objectContaining({ field, type: 'value_error' })],
      }),
    );
  });
});
