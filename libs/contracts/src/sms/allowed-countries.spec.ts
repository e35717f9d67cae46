import { describe, expect, it } from '@jest/globals';
import { isAllowedCountry, parseDestinationSettings } from './allowed-countries.js';

describe('the countries that an organisation may send to', () => {
  it.each([
    [undefined, {}],
    [{}, {}],
    [{ quiet_hours: '22:00-07:00 Africa/Lagos' }, {}],
    [{ countries: ['NG', 'GH'], default_category: 'promotional' }, { countries: ['NG', 'GH'] }],
  ])('are read from %j', (given, value) => {
    expect(parseDestinationSettings(given)).toEqual({ ok: true, value });
  });

  it.each([['Nigeria'], [], 'NG', [1], null])('may not be %j', (countries) => {
    expect(parseDestinationSettings({ countries })).toMatchObject({
      ok: false,
      errors: [{ field: 'countries' }],
    });
  });

  it.each([
    [undefined, 'NG', true],
    [undefined, undefined, true],
    [['NG'], 'NG', true],
    [['NG'], 'GH', false],
    [['NG'], undefined, false],
    [[], 'NG', false],
  ])('%j allow %s: %s', (allowed, country, isAllowed) => {
    expect(isAllowedCountry(allowed, country)).toBe(isAllowed);
  });
});
