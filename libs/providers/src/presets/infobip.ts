import type { Preset } from './preset.js';

/**
 * Every account has a base URL of its own: change `request.url`. The message has our reference as its id, by which Infobip
 * refuses a second one, and can be asked. Not from the pages: that a batch may have 100 messages.
 */
export const infobip: Preset = {
  title: 'Infobip',
  pages: [
    'https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages',
    'https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes',
    'https://www.infobip.com/docs/developer-resources/api-fundamentals/message-status-codes',
    'https://www.infobip.com/docs/developer-resources/api-fundamentals/handling-errors',
  ],
  kind: 'http',
  channels: ['sms'],
  secrets: ['api_key'],
  settings: {
    request: {
      url: 'https://api.infobip.com/sms/3/messages',
      headers: { Authorization: 'App {secret.api_key}' },
      json: {
        messages: [
          {
            sender: '{sender}',
            destinations: [{ to: '{recipient_digits}', messageId: '{reference}' }],
            content: { text: '{text}' },
          },
        ],
      },
      batch: { size: 100, items: '/messages' },
    },
    answer: {
      ...{ items: '/messages', recipient: '/destination', reference: '/messageId' },
      ...{
        code: '/status/groupName',
        accepted: ['ACCEPTED', 'PENDING', 'DELIVERED'],
        message: '/status/name',
      },
    },
    outcomes: [
      { text: ['PREFIX_MISSING', 'MISSING_TO'], outcome: 'failed', reason: 'invalid_number' },
      { text: 'REJECTED_DND', outcome: 'failed', reason: 'dnd' },
      { text: ['REJECTED_SOURCE', 'REJECTED_SENDER'], outcome: 'failed', reason: 'invalid_sender' },
      { text: ['NOT_ENOUGH_CREDITS', 'PREPAID_PACKAGE_EXPIRED'], outcome: 'account' },
      { text: 'DESTINATION_BLOCKLISTED', outcome: 'failed', reason: 'recipient_blocked' },
      // Only for some destinations: the account can still send to others.
      {
        text: ['REJECTED_NETWORK', 'ROUTE_NOT_AVAILABLE', 'DESTINATION_NOT_REGISTERED'],
        ...{ outcome: 'transient', reason: 'no_route' },
      },
      { text: 'REJECTED_DESTINATION', outcome: 'failed', reason: 'invalid_number' },
      { text: ['FLOODING_FILTER', 'SIGNALS_BLOCKED'], outcome: 'failed', reason: 'rejected' },
      { text: ['SYSTEM_ERROR', 'REJECTED_PLATFORM'], outcome: 'transient' },
      { text: 'MESSAGE_TOO_LONG', outcome: 'failed', reason: 'too_long' },
      // An earlier request with this id was accepted; it is asked about.
      { text: 'DUPLICATE_MESSAGE_ID', outcome: 'unknown' },
      { status: 403, outcome: 'account' },
    ],
    ask: {
      request: { url: '/sms/3/logs?messageId={reference}' },
      answer: {
        ...{ items: '/results', reference: '/messageId', code: '/status/groupName' },
        accepted: ['PENDING', 'DELIVERED', 'UNDELIVERABLE', 'EXPIRED'],
      },
      outcomes: [{ code: ['REJECTED'], outcome: 'failed', reason: 'rejected' }],
    },
    reports: {
      ...{ list: '/results', reference: '/messageId', ownReference: '/messageId' },
      ...{ status: '/status/groupName', code: '/status/name' },
      states: [
        { code: ['DELIVERED_TO_OPERATOR'], state: 'sent' },
        { status: ['DELIVERED'], state: 'delivered' },
        { status: ['PENDING'], state: 'sent' },
        { status: ['EXPIRED'], state: 'expired' },
        { code: ['REJECTED_DND'], state: 'undelivered', reason: 'dnd' },
        { status: ['REJECTED'], state: 'undelivered', reason: 'rejected' },
        { status: ['UNDELIVERABLE'], state: 'undelivered' },
      ],
    },
  },
};
