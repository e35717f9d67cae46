import { fakeTermii } from '@gangan/testing';
import { termii } from '../../src/presets/termii.js';
import { describePreset } from './describe-preset.js';

const apiKey = 'TL"Key/with+special&characters';

describePreset(termii, {
  script: fakeTermii(apiKey),
  secrets: { api_key: apiKey },
  sent: ({ recipient_digits: to, text: sms }) => ({
    ...{ api_key: apiKey, to, from: 'Acme', sms, channel: 'dnd' },
    type: sms.startsWith('Ẹ') ? 'unicode' : 'plain',
  }),
  reference: /^\d{25}$/,
  refusals: (
    [
      [400, 'Bad Request', 'failed', 'provider_error'],
      [400, 'Insufficient balance', 'account', 'provider_account'],
      [400, 'Your account is not active', 'account', 'provider_account'],
      [400, 'You are not set up on this route', 'transient', 'no_route'],
      [400, 'Your device has reached the daily limit', 'transient', 'daily_limit'],
      [400, 'Invalid Sender Id', 'failed', 'invalid_sender'],
      [404, 'ApplicationSenderId not found for applicationId: 1', 'failed', 'invalid_sender'],
      [400, 'This service is currently not active on your account', 'account', 'provider_account'],
      [400, 'No active subscription on your device', 'account', 'provider_account'],
      [400, 'Device not active', 'account', 'provider_account'],
      [503, 'Service temporarily unavailable', 'transient', 'provider_unavailable'],
      [404, 'Device not found', 'failed', 'invalid_sender'],
      [401, 'Unauthorized', 'account', 'provider_account'],
      [403, 'Forbidden', 'account', 'provider_account'],
      [404, 'Not Found', 'account', 'provider_account'],
      [405, 'Method Not allowed', 'account', 'provider_account'],
      [422, 'Unprocessable entity', 'failed', 'provider_error'],
      [429, 'Too Many Requests', 'throttled', 'throttled'],
      [500, 'Server Error', 'unknown', 'no_answer'],
      [502, 'Bad Gateway', 'unknown', 'no_answer'],
    ] as const
  ).map(([status, message, ...expected]) => [{ status, message }, ...expected]),
});
