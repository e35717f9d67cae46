import { fakeHlrLookups } from '@gangan/testing';
import { hlrLookups } from '../../../src/presets/lookup/hlr-lookups.js';
import { describeLookupPreset } from './describe-lookup-preset.js';

const secrets = { api_key: 'a1b2c3d4e5f6', api_secret: 'S3cr&t-of/the"account' };
const found = { operator: 'T-Mobile US', country: 'US', ported: true, roaming: false };

describeLookupPreset(hlrLookups, {
  script: fakeHlrLookups(secrets.api_key, secrets.api_secret),
  secrets,
  asked: { number: '+2348031234567' },
  finding: found,
  findings: [
    [{ connectivity_status: 'ABSENT' }, found],
    [
      { is_roaming: true, roaming_country_code: 'GH' },
      { ...found, roaming: true },
    ],
    [
      {
        mccmnc: '62130',
        original_network_name: 'MTN Nigeria',
        original_country_code: 'NG',
        is_ported: false,
        ported_network_name: null,
        ported_country_code: null,
      },
      { operator: 'MTN', country: 'NG', ported: false, roaming: false },
    ],
    [
      {
        mccmnc: null,
        is_ported: null,
        ported_network_name: null,
        ported_country_code: null,
        is_roaming: null,
      },
      { operator: 'Verizon Wireless', country: 'US' },
    ],
  ],
  refusals: [
    [{ body: { connectivity_status: 'INVALID_MSISDN' } }, 'not_found'],
    [{ body: { connectivity_status: 'UNDETERMINED' } }, 'transient', 'undetermined'],
    [{ status: 400, body: {} }, 'transient', 'unlisted_answer'],
    [{ status: 401, body: {} }, 'account', 'provider_account'],
    [{ status: 402, body: {} }, 'account', 'provider_account'],
    [{ status: 429, body: {} }, 'throttled', 'throttled'],
    [{ status: 500, body: {} }, 'unknown', 'no_answer'],
  ],
});
