import { describe, expect, it } from '@jest/globals';
import { checkDestination } from './otp-message.js';

const nigerian = { e164: '+2348031234567', country: 'NG' };
const british = { e164: '+447911123456', country: 'GB' };
const premium = { e164: '+19005550123', country: 'US' };

describe('the destinations of OTPs', () => {
  it('are not restricted by default', () => {
    for (const phone of [nigerian, british, premium, { e164: '+88213000000' }]) {
      expect(checkDestination(phone, {})).toBeUndefined();
    }
  });

  it('can be restricted to countries', () => {
    const settings = { countries: ['NG', 'GH'] };
    expect(checkDestination(nigerian, settings)).toBeUndefined();
    expect(checkDestination(british, settings)).toMatchObject({ status: 403, code: 'country_not_allowed' });
    expect(checkDestination({ e164: '+88213000000' }, settings)).toMatchObject({ status: 403 });
  });

  it('can be restricted to types of numbers', () => {
    expect(checkDestination(nigerian, { number_types: ['mobile'] })).toBeUndefined();
    expect(checkDestination(premium, { number_types: ['mobile'] })).toMatchObject({
      status: 403,
      code: 'number_type_not_allowed',
      fields: [{ field: 'recipient' }],
    });
  });
});
