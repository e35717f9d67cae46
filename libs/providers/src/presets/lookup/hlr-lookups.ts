import type { LookupPreset } from '../preset.js';
import { nigerianNetworks } from './nigerian-networks.js';

/**
 * The signature covers the path after `/api/v2`, as in the official SDK (github.com/vmgltd/hlr-lookup-api-nodejs-sdk). The
 * page of the API was read in part, so the codes of its errors are not listed: 401 and 402 are faults of our account.
 */
export const hlrLookups: LookupPreset = {
  title: 'HLR Lookups',
  pages: [
    'https://www.hlr-lookups.com/en/api-docs',
    'https://www.hlr-lookups.com/en/connectivity-stats',
    'https://github.com/vmgltd/hlr-lookup-api-nodejs-sdk',
  ],
  kind: 'http',
  domain: 'lookup',
  channels: [],
  secrets: ['api_key', 'api_secret'],
  settings: {
    request: {
      url: 'https://www.hlr-lookups.com/api/v2/hlr-lookup',
      headers: { 'X-Digest-Key': '{secret.api_key}', 'X-Digest-Timestamp': '{timestamp}' },
      json: { msisdn: '{phone}' },
      hmac: {
        header: 'X-Digest-Signature',
        algorithm: 'sha256',
        secret: '{secret.api_secret}',
        of: '/hlr-lookup{timestamp}{method}{body}',
      },
    },
    answer: { code: '/connectivity_status' },
    cost: { currency: 'EUR', price: '/cost' },
    outcomes: [
      { code: ['INVALID_MSISDN'], outcome: 'not_found' },
      // Another provider may reach the network.
      { code: ['UNDETERMINED'], outcome: 'transient', reason: 'undetermined' },
    ],
    finding: {
      operator: [
        { pointer: '/mccmnc', values: nigerianNetworks },
        { pointer: '/ported_network_name' },
        { pointer: '/original_network_name' },
      ],
      country: [{ pointer: '/ported_country_code' }, { pointer: '/original_country_code' }],
      ported: { pointer: '/is_ported' },
      roaming: { pointer: '/is_roaming' },
    },
  },
};
