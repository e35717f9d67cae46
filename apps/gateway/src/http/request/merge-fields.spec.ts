import { describe, expect, it } from '@jest/globals';
import { mergeFields } from './merge-fields.js';

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
    expect(mergeFields('body', body, query)).toEqual({ fields, contradictions: [] });
  });

  it.each([
    [{ phone: '1' }, { phone: '2' }],
    [{ phone: 1 }, { phone: '1' }],
    [{ phone: '' }, { phone: '1' }],
  ])('contradict each other when the body is %j and the query %j', (body, query) => {
    expect(mergeFields('body', body, query).contradictions).toEqual([
      {
        field: 'phone',
        message: 'phone has different values in the body and in the query',
        type: 'value_error',
      },
    ]);
  });

  it('may be in the path as well', () => {
    expect(mergeFields('path', { phone: '1' }, { phone: '2' }).contradictions).toMatchObject([
      { message: 'phone has different values in the path and in the query' },
    ]);
  });
});
