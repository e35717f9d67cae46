import type { Preset } from './preset.js';

/**
 * Every account has a base URL of its own, shown on its dashboard: change `request.url` if it differs. The channel `dnd`
 * reaches all numbers and must be activated for the account; `generic` is for promotional messages. `message_id_str` is a
 * text; older answers have only `message_id`, a number of up to 25 digits. Reports are signed with a secret key of the
 * account; see docs/operate/providers.md. The error page and the table of statuses were read in public copies. Not from
 * the pages: which characters lead to pages of 70 characters.
 */
export const termii: Preset = {
  title: 'Termii',
  pages: [
    'https://developers.termii.com/messaging-api',
    'https://developers.termii.com/error/',
    'https://developer.termii.com/events-and-reports',
    'https://developers.termii.com/balance',
  ],
  kind: 'http',
  domain: 'message',
  channels: ['sms'],
  secrets: ['api_key'],
  registeredSenders: true,
  settings: {
    request: {
      url: 'https://v3.api.termii.com/api/sms/send',
      json: {
        api_key: '{secret.api_key}',
        to: '{recipient_digits}',
        from: '{sender}',
        sms: '{text}',
        type: '{encoding}',
        channel: 'dnd',
      },
    },
    answer: { code: '/code', reference: ['/message_id_str', '/message_id'], message: '/message' },
    // The price is in reports, without a currency: set it if the account has another one.
    cost: { currency: 'NGN' },
    pageRules: [{ characters: ';/^{}\\[~]|€\'"', single: 70 }],
    credit: {
      request: { url: '/api/get-balance?api_key={secret.api_key}' },
      amount: '/balance',
      currency: '/currency',
    },
    outcomes: [
      { text: 'insufficient balance', outcome: 'account' },
      { text: 'account is not active', outcome: 'account' },
      { text: 'not active on your account', outcome: 'account' },
      { text: 'no active subscription', outcome: 'account' },
      { text: 'device not active', outcome: 'account' },
      { text: 'temporarily unavailable', outcome: 'transient' },
      { text: 'not set up on this route', outcome: 'refused', reason: 'no_route' },
      { text: 'reached the daily limit', outcome: 'transient', reason: 'daily_limit' },
      { text: 'sender id', status: '4xx', outcome: 'refused', reason: 'invalid_sender' },
      { text: 'senderid', status: '4xx', outcome: 'refused', reason: 'invalid_sender' },
      { text: 'device not found', outcome: 'refused', reason: 'invalid_sender' },
      { status: 404, outcome: 'account' },
      { status: 405, outcome: 'account' },
    ],
    // Reports have a text too.
    incoming: {
      when: { field: '/type', values: ['inbound'] },
      from: '/sender',
      to: '/receiver',
      text: '/message',
      id: '/message_id',
      time: '/received_at',
    },
    reports: {
      reference: '/message_id',
      status: '/status',
      cost: { price: '/cost' },
      states: [
        { text: 'dnd active', state: 'undelivered', reason: 'dnd' },
        { text: 'message sent', state: 'sent' },
        { text: 'message failed', state: 'undelivered' },
        { status: ['failed'], state: 'undelivered' },
        // The page says that it means DND.
        { text: 'rejected', state: 'undelivered', reason: 'dnd' },
        { text: 'expired', state: 'expired' },
        { status: ['delivered', 'received'], state: 'delivered' },
        { text: 'delivered |', state: 'delivered' },
      ],
    },
  },
};
