import type { Preset } from './preset.js';

/**
 * A long text has one result and one report per part. Vonage signs reports only for accounts that asked for it; see
 * docs/providers.md.
 */
export const vonage: Preset = {
  title: 'Vonage',
  pages: [
    'https://developer.vonage.com/en/api/sms',
    'https://developer.vonage.com/en/api-errors/sms',
    'https://developer.vonage.com/en/messaging/sms/guides/troubleshooting-sms',
    'https://developer.vonage.com/en/messaging/sms/guides/delivery-receipts',
  ],
  kind: 'http',
  channels: ['sms'],
  secrets: ['api_key', 'api_secret'],
  settings: {
    request: {
      url: 'https://rest.nexmo.com/sms/json',
      basic: { username: '{secret.api_key}', password: '{secret.api_secret}' },
      form: {
        ...{ to: '{recipient_digits}', from: '{sender}', text: '{text}', type: '{encoding}' },
        'client-ref': '{reference}',
      },
      encodings: { plain: 'text', unicode: 'unicode' },
    },
    answer: {
      ...{ parts: '/messages', code: '/status', accepted: ['0'], reference: '/message-id' },
      message: '/error-text',
    },
    cost: { currency: 'EUR', price: '/message-price' },
    outcomes: [
      { code: ['1', '10'], outcome: 'throttled' },
      { code: ['4', '8', '9', '11', '14', '23', '32'], outcome: 'account' },
      // An error during the processing: it does not say whether the message was sent.
      { code: ['5'], outcome: 'unknown' },
      { code: ['6', '33'], outcome: 'failed', reason: 'invalid_number' },
      { code: ['7'], outcome: 'failed', reason: 'recipient_blocked' },
      { code: ['12'], outcome: 'failed', reason: 'too_long' },
      { code: ['15'], outcome: 'failed', reason: 'invalid_sender' },
      // A demo account can send to its own numbers.
      { code: ['29'], outcome: 'transient', reason: 'no_route' },
    ],
    reports: {
      ...{ reference: '/messageId', ownReference: '/client-ref', status: '/status', code: '/err-code' },
      states: [
        { status: ['delivered'], state: 'delivered' },
        { status: ['accepted', 'buffered', 'unknown'], state: 'sent' },
        { status: ['expired'], state: 'expired' },
        { status: ['rejected'], state: 'undelivered', reason: 'rejected' },
        { status: ['failed'], state: 'undelivered' },
      ],
    },
  },
};
