import { fakeTermiiDnd, fakeTermiiNumber } from '@gangan/testing';
import { termiiDnd, termiiNumber } from '../../../src/presets/lookup/termii-lookup.js';
import { describeLookupPreset } from './describe-lookup-preset.js';

const apiKey = 'TL"Key/with+special&characters';
const secrets = { api_key: apiKey };

/** https://developers.termii.com/error/, without what concerns senders and devices. */
const refusals = (
  [
    [400, 'Bad Request', 'transient', 'unlisted_answer'],
    [400, 'Insufficient balance', 'account', 'provider_account'],
    [400, 'Your account is not active', 'account', 'provider_account'],
    [400, 'This service is currently not active on your account', 'account', 'provider_account'],
    [503, 'Service temporarily unavailable', 'transient', 'provider_unavailable'],
    [401, 'Unauthorized', 'account', 'provider_account'],
    [403, 'Forbidden', 'account', 'provider_account'],
    [404, 'Not Found', 'account', 'provider_account'],
    [405, 'Method Not allowed', 'account', 'provider_account'],
    [422, 'Unprocessable entity', 'transient', 'unlisted_answer'],
    [429, 'Too Many Requests', 'throttled', 'throttled'],
    [500, 'Server Error', 'unknown', 'no_answer'],
    [502, 'Bad Gateway', 'unknown', 'no_answer'],
  ] as const
).map(([status, message, ...expected]) => [{ status, body: { message } }, ...expected] as const);

describeLookupPreset(termiiDnd, {
  script: fakeTermiiDnd(apiKey),
  secrets,
  asked: { number: '2348031234567' },
  finding: { operator: 'Airtel', dnd: true },
  findings: [
    [{ status: 'Active', network_code: '62130' }, { operator: 'MTN' }],
    [
      { network: 'Vodafone Ghana', network_code: '62002' },
      { operator: 'Vodafone Ghana', dnd: true },
    ],
  ],
  refusals,
});

const result = (ported: number, lineType: string, operatorName = 'Ntel') => ({
  result: [
    { routeDetail: { ported }, countryDetail: { iso: 'NG' }, operatorDetail: { operatorName, lineType } },
  ],
});

describeLookupPreset(termiiNumber, {
  script: fakeTermiiNumber(apiKey),
  secrets,
  asked: { number: '2348031234567', country: 'NG' },
  finding: { operator: 'Airtel', country: 'NG', ported: false, lineType: 'mobile' },
  findings: [
    [result(1, 'Mobile'), { operator: 'Ntel', country: 'NG', ported: true, lineType: 'mobile' }],
    [result(0, 'Fixed', 'MTN Nigeria'), { operator: 'MTN', country: 'NG', ported: false }],
  ],
  refusals,
});
