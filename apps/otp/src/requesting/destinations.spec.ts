import { describe, expect, it } from '@jest/globals';
import { destinationRefusal } from './destinations.js';

const nigerian = { e164: '+2348031234567', country: 'NG' };
const british = { e164: '+447911123456', country: 'GB' };
const premium = { e164: '+19005550123', country: 'US' };

describe('where OTPs go', () => {
  it('is anywhere, unless the organisation has narrowed it', () => {
    for (const phone of [nigerian, british, premium, { e164: '+88213000000' }]) {
      expect(destinationRefusal(phone, {})).toBeUndefined();
    }
  });

  it('may be narrowed to countries', () => {
    const settings = { countries: ['NG', 'GH'] };
    expect(destinationRefusal(nigerian, settings)).toBeUndefined();
    expect(destinationRefusal(british, settings)).toMatchObject({ status: 403, code: 'country_not_allowed' });
    expect(destinationRefusal({ e164: '+88213000000' }, settings)).toMatchObject({ status: 403 });
  });

  it('may be narrowed to types of numbers', () => {
    expect(destinationRefusal(nigerian, { number_types: ['mobile'] })).toBeUndefined();
    expect(destinationRefusal(premium, { number_types: ['mobile'] })).toMatchObject({
      status: 403,
      code: 'number_type_not_allowed',
      fields: [{ field: 'recipient' }],
    });
  });
});
