import { describe, expect, it } from '@jest/globals';
import { fill, fillAll, findNames, templateValues } from './request-template.js';

const values = templateValues(
  { e164: '+2348031234567', nationalNumber: '8031234567', country: 'NG' },
  'a&b{digits}',
);

describe('a template', () => {
  it('replaces placeholders once and encodes the values', () => {
    expect(fill('https://x/{digits}?n={e164}&s={secret}&c={country}', values, encodeURIComponent)).toBe(
      'https://x/2348031234567?n=%2B2348031234567&s=a%26b%7Bdigits%7D&c=NG',
    );
    expect(fill('Bearer {secret} {what}', values)).toBe('Bearer a&b{digits} {what}');
  });

  it('may be a JSON document', () => {
    expect(fillAll({ to: ['{e164}', 1, null, { n: '{national}' }], live: true }, values)).toEqual({
      to: ['+2348031234567', 1, null, { n: '8031234567' }],
      live: true,
    });
    expect(findNames({ a: ['{x}', { '{y}': '{z}' }], b: undefined })).toEqual(['x', 'y', 'z']);
  });
});
