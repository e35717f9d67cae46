import type { Preset } from './preset.js';

/**
 * Every error code has a page of its own, such as https://www.twilio.com/docs/api/errors/21211. The pages of 21408 and 21617
 * were not read. Reports arrive if `request.form.StatusCallback` is the address for them; see docs/providers.md.
 */
export const twilio: Preset = {
  title: 'Twilio',
  pages: [
    'https://www.twilio.com/docs/messaging/api/message-resource',
    'https://www.twilio.com/docs/api/errors',
    'https://www.twilio.com/docs/messaging/guides/track-outbound-message-status',
    'https://www.twilio.com/docs/usage/security',
  ],
  kind: 'http',
  channels: ['sms'],
  secrets: ['account_sid', 'auth_token'],
  settings: {
    request: {
      url: 'https://api.twilio.com/2010-04-01/Accounts/{secret.account_sid}/Messages.json',
      basic: { username: '{secret.account_sid}', password: '{secret.auth_token}' },
      form: { To: '{recipient}', From: '{sender}', Body: '{text}' },
    },
    answer: { code: '/code', reference: '/sid', message: '/message' },
    outcomes: [
      { code: ['21211', '21265', '21614', '21635'], outcome: 'failed', reason: 'invalid_number' },
      { code: ['21610'], outcome: 'failed', reason: 'recipient_blocked' },
      {
        code: ['21212', '21601', '21606', '21659', '21660', '21661'],
        ...{ outcome: 'failed', reason: 'invalid_sender' },
      },
      { code: ['21617'], outcome: 'failed', reason: 'too_long' },
      // Only for some destinations: the account can still send to others.
      { code: ['21408', '21608', '21612'], outcome: 'transient', reason: 'no_route' },
      // The queue of one sender is full; others can still send.
      { code: ['21611'], outcome: 'transient', reason: 'sender_queue_full' },
      { code: ['10001', '20003', '20404', '21609'], outcome: 'account' },
    ],
    reports: {
      ...{ reference: '/MessageSid', status: '/MessageStatus', code: '/ErrorCode' },
      states: [
        { status: ['delivered', 'read'], state: 'delivered' },
        { status: ['accepted', 'scheduled', 'queued', 'sending', 'sent'], state: 'sent' },
        { code: ['30003'], state: 'undelivered', reason: 'unreachable' },
        { code: ['30005', '30006'], state: 'undelivered', reason: 'invalid_number' },
        { code: ['30007'], state: 'undelivered', reason: 'rejected' },
        { status: ['undelivered', 'failed', 'canceled'], state: 'undelivered' },
      ],
    },
    inbound: { twilio: { secret: '{secret.auth_token}' } },
  },
};
