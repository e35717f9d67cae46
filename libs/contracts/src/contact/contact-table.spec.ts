import { describe, expect, it } from '@jest/globals';
import { validate } from '../validation/validate.js';
import { AddContactColumnRequest, ChangeContactColumnFields } from './contact-table.dto.js';

const faultsOf = (...options: string[]): string[] => {
  const results = [
    validate(AddContactColumnRequest, { name: 'Level', type: 'SELECT', options }),
    validate(ChangeContactColumnFields, { options }),
  ];
  return results.flatMap((result) => (result.ok ? [] : result.errors.map(({ message }) => message)));
};

describe('an option of a column', () => {
  it.each(['gold', ' rose gold ', '-', 'x'.repeat(100), '😀'.repeat(100)])('may be %p', (option) => {
    expect(faultsOf('silver', option)).toEqual([]);
  });

  it.each(['', ' ', '\t\n', 'a,b', ',', ' ,', 'a,'])(
    'cannot be %p in a new or a changed column',
    (option) => {
      const fault = 'each value in options must not be blank or contain a comma';
      expect(faultsOf('silver', option)).toEqual([fault, fault]);
    },
  );

  it('cannot be too long', () => {
    expect(faultsOf('x'.repeat(101))).toHaveLength(2);
  });
});

it.each([
  [' ', 'name must not be blank'],
  ['a\u2028b', 'name must not contain line breaks or other control characters'],
  ['a\r\nb', 'name must not contain line breaks or other control characters'],
])('gives no column the name %p', (name, message) => {
  expect(validate(ChangeContactColumnFields, { name })).toMatchObject({
    errors: [{ field: 'name', message }],
  });
});
