import type { Preset } from './preset.js';

/** The rule for a report about a message that was not delivered. */
const failed = (reason: string, ...code: readonly string[]) =>
  ({ status: ['failed', 'rejected'], code, state: 'undelivered', reason }) as const;

/**
 * A long text has one result and one report per part. Vonage signs reports only for accounts that asked for it; see
 * docs/operate/providers.md. The tables were read in a public copy of the source of the pages from July 2021, and up to code
 * 15 as they are today; code 16 of a report is in another public copy.
 */
export const vonage: Preset = {
  title: 'Vonage',
  pages: [
    'https://developer.vonage.com/en/api/sms',
    'https://developer.vonage.com/en/api-errors/sms',
    'https://developer.vonage.com/en/messaging/sms/guides/troubleshooting-sms',
    'https://developer.vonage.com/en/messaging/sms/guides/delivery-receipts',
    'https://developer.vonage.com/en/messaging/sms/guides/inbound-sms',
    'https://developer.vonage.com/en/getting-started/concepts/signing-messages',
    'https://developer.vonage.com/en/account/code-snippets/account-balance',
  ],
  kind: 'http',
  domain: 'message',
  channels: ['sms'],
  secrets: ['api_key', 'api_secret'],
  settings: {
    request: {
      url: 'https://rest.nexmo.com/sms/json',
      basic: { username: '{secret.api_key}', password: '{secret.api_secret}' },
      form: {
        to: '{recipient_digits}',
        from: '{sender}',
        text: '{text}',
        type: '{encoding}',
        'client-ref': '{reference}',
      },
      encodings: { plain: 'text', unicode: 'unicode' },
    },
    answer: {
      parts: '/messages',
      code: '/status',
      accepted: ['0'],
      reference: '/message-id',
      message: '/error-text',
    },
    cost: { currency: 'EUR', price: '/message-price' },
    credit: { request: { url: '/account/get-balance' }, amount: '/value', currency: 'EUR' },
    outcomes: [
      { code: ['1', '10'], outcome: 'throttled' },
      { code: ['4', '8', '9', '11', '14', '23', '32'], outcome: 'account' },
      // An error during the processing: it does not say whether the message was sent.
      { code: ['5'], outcome: 'unknown' },
      { code: ['6', '33'], outcome: 'failed', reason: 'invalid_number' },
      { code: ['7'], outcome: 'failed', reason: 'recipient_blocked' },
      { code: ['12'], outcome: 'failed', reason: 'too_long' },
      { code: ['15'], outcome: 'refused', reason: 'invalid_sender' },
      // A demo account can send to its own numbers.
      { code: ['29'], outcome: 'refused', reason: 'no_route' },
    ],
    // A long text arrives in parts, each as a message of its own.
    incoming: { from: '/msisdn', to: '/to', text: '/text', id: '/messageId', time: '/message-timestamp' },
    reports: {
      reference: '/messageId',
      ownReference: '/client-ref',
      status: '/status',
      code: '/err-code',
      states: [
        { status: ['delivered'], state: 'delivered' },
        { status: ['accepted', 'buffered', 'unknown'], state: 'sent' },
        { status: ['expired'], state: 'expired' },
        failed('invalid_number', '3'),
        failed('unreachable', '2', '7', '15'),
        failed('recipient_blocked', '4', '9', '13', '14'),
        failed('rejected', '6', '50', '52', '53', '54'),
        failed('invalid_sender', '51'),
        failed('no_route', '11', '12'),
        failed('throttled', '16'),
        { status: ['rejected'], state: 'undelivered', reason: 'rejected' },
        { status: ['failed'], state: 'undelivered' },
      ],
    },
  },
};
