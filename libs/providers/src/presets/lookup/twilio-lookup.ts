import type { LookupPreset } from '../preset.js';

/**
 * Line Type Intelligence. Every error code has a page of its own, such as https://www.twilio.com/docs/api/errors/60601.
 * Twilio reports neither ported numbers nor DND.
 */
export const twilioLookup: LookupPreset = {
  title: 'Twilio Lookup v2',
  pages: [
    'https://www.twilio.com/docs/lookup/v2-api',
    'https://www.twilio.com/docs/lookup/v2-api/line-type-intelligence',
    'https://www.twilio.com/docs/lookup/v2-api/formatting-validation',
    'https://www.twilio.com/docs/api/errors',
  ],
  kind: 'http',
  domain: 'lookup',
  channels: [],
  secrets: ['account_sid', 'auth_token'],
  settings: {
    request: {
      method: 'GET',
      url: 'https://lookups.twilio.com/v2/PhoneNumbers/{phone}?Fields=line_type_intelligence',
      basic: { username: '{secret.account_sid}', password: '{secret.auth_token}' },
    },
    answer: { code: ['/code', '/line_type_intelligence/error_code', '/valid'], message: '/message' },
    outcomes: [
      { code: ['false'], outcome: 'not_found' },
      // Only for some numbers; another provider may know them.
      { code: ['60601', '60607', '60610', '60612'], outcome: 'transient', reason: 'no_coverage' },
      { code: ['10001', '20003', '60606', '60614', '60619'], outcome: 'account' },
    ],
    finding: {
      operator: { pointer: '/line_type_intelligence/carrier_name' },
      country: { pointer: '/country_code' },
      lineType: {
        pointer: '/line_type_intelligence/type',
        values: {
          landline: 'landline',
          mobile: 'mobile',
          fixedVoip: 'fixed_voip',
          nonFixedVoip: 'non_fixed_voip',
          personal: 'personal',
          tollFree: 'toll_free',
          premium: 'premium',
          sharedCost: 'shared_cost',
          uan: 'uan',
          voicemail: 'voicemail',
          pager: 'pager',
          unknown: null,
        },
      },
    },
  },
};
