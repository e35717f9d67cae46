import { fakeTwilioLookup } from '@gangan/testing';
import { twilioLookup } from '../../../src/presets/lookup/twilio-lookup.js';
import { describeLookupPreset } from './describe-lookup-preset.js';

const secrets = { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: '12345-auth-token' };
const typed = (type: string) => ({ line_type_intelligence: { carrier_name: 'MTN', error_code: null, type } });
const lacking = (error: number) => ({ body: { line_type_intelligence: { error_code: error, type: null } } });
const refused = (status: number, code: number) => ({ status, body: { code, message: 'Error', status } });

describeLookupPreset(twilioLookup, {
  script: fakeTwilioLookup(secrets.account_sid, secrets.auth_token),
  secrets,
  asked: { number: '+2348031234567' },
  finding: { operator: 'MTN', country: 'NG', lineType: 'mobile' },
  findings: (
    [
      ['landline', 'landline'],
      ['mobile', 'mobile'],
      ['fixedVoip', 'fixed_voip'],
      ['nonFixedVoip', 'non_fixed_voip'],
      ['personal', 'personal'],
      ['tollFree', 'toll_free'],
      ['premium', 'premium'],
      ['sharedCost', 'shared_cost'],
      ['uan', 'uan'],
      ['voicemail', 'voicemail'],
      ['pager', 'pager'],
      ['unknown', undefined],
    ] as const
  ).map(([type, lineType]) => [
    typed(type),
    { operator: 'MTN', country: 'NG', ...(lineType !== undefined && { lineType }) },
  ]),
  refusals: [
    ...[
      'TOO_SHORT',
      'TOO_LONG',
      'INVALID_BUT_POSSIBLE',
      'INVALID_COUNTRY_CODE',
      'INVALID_LENGTH',
      'NOT_A_NUMBER',
    ].map(
      (error) =>
        [
          { body: { valid: false, validation_errors: [error], line_type_intelligence: null } },
          'not_found',
        ] as const,
    ),
    [lacking(60601), 'transient', 'no_coverage'],
    [lacking(60606), 'account', 'provider_account'],
    [lacking(60607), 'transient', 'no_coverage'],
    [lacking(60610), 'transient', 'no_coverage'],
    [lacking(60612), 'transient', 'no_coverage'],
    [refused(400, 60614), 'account', 'provider_account'],
    [refused(400, 60619), 'account', 'provider_account'],
    [refused(401, 20003), 'account', 'provider_account'],
    [refused(403, 10001), 'account', 'provider_account'],
    [refused(403, 60606), 'account', 'provider_account'],
    [refused(404, 20404), 'transient', 'unlisted_answer'],
    [refused(429, 20429), 'throttled', 'throttled'],
    [refused(500, 20500), 'unknown', 'no_answer'],
    [refused(503, 20503), 'transient', 'provider_unavailable'],
  ],
});
