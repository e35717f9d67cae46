import type { ReportRule } from '../http/reports/report-settings.js';
import type { Preset } from './preset.js';

const undelivered = (reason: string, ...code: readonly string[]): ReportRule => ({
  code,
  state: 'undelivered',
  reason,
});

/**
 * The sender is a number, a short code or a name without spaces. The table of errors is from a public copy of Plivo's article
 * of 2025; 300, 420, 450, 900 and 910 are from public code and from Plivo's help pages, and a newer table may have others. A
 * message that lacks credit is accepted, and reported with 900 later. Plivo documents signatures of version 2 for messages,
 * which do not cover the fields; requests also have the one of version 3, which is verified here: see
 * docs/operate/providers.md. Not from the pages: how an answer about missing credit looks.
 */
export const plivo: Preset = {
  title: 'Plivo',
  pages: [
    'https://www.plivo.com/docs/messaging/api/messages',
    'https://www.plivo.com/docs/messaging/api/response',
    'https://www.plivo.com/docs/messaging/api/message/message-status-callbacks',
    'https://www.plivo.com/docs/messaging/troubleshooting/error-codes',
    'https://www.plivo.com/docs/messaging/concepts/signature-validation',
    'https://www.plivo.com/docs/messaging/xml/request',
    'https://www.plivo.com/docs/account/api/account/the-account-object/',
  ],
  kind: 'http',
  domain: 'message',
  channels: ['sms'],
  secrets: ['auth_id', 'auth_token'],
  settings: {
    request: {
      url: 'https://api.plivo.com/v1/Account/{secret.auth_id}/Message/',
      basic: { username: '{secret.auth_id}', password: '{secret.auth_token}' },
      json: {
        src: '{sender}',
        dst: '{recipient_digits}',
        text: '{text}',
        url: '{report_url}',
        method: 'POST',
      },
    },
    answer: { reference: '/message_uuid/0', message: '/error' },
    cost: { currency: 'USD' },
    credit: {
      request: { url: '/v1/Account/{secret.auth_id}/' },
      amount: '/cash_credits',
      currency: 'USD',
    },
    outcomes: [
      { text: ['insufficient credit', 'insufficient balance'], outcome: 'account' },
      { text: 'caller id is not allowed', outcome: 'refused', reason: 'invalid_sender' },
      { status: 404, outcome: 'account' },
      { status: 405, outcome: 'account' },
    ],
    incoming: { from: '/From', to: '/To', text: '/Text', id: '/MessageUUID' },
    reports: {
      reference: '/MessageUUID',
      status: '/Status',
      code: '/ErrorCode',
      cost: { price: '/TotalAmount' },
      states: [
        { status: ['delivered', 'read'], state: 'delivered' },
        { status: ['queued', 'sent'], state: 'sent' },
        // The recipient has replied STOP.
        undelivered('opted_out', '200'),
        undelivered('invalid_number', '50', '70'),
        undelivered('unreachable', '80'),
        undelivered('invalid_sender', '40', '201'),
        undelivered('too_long', '110'),
        undelivered('rejected', '30', '60'),
        undelivered('no_route', '90', '100', '450'),
        // Our balance or account: the customer gets a refund.
        undelivered('provider_unavailable', '300', '900', '910'),
        { code: ['420'], state: 'expired' },
        { status: ['failed', 'undelivered', 'rejected'], state: 'undelivered' },
      ],
    },
    poll: {
      request: { url: '/v1/Account/{secret.auth_id}/Message/{provider_reference}/' },
      status: '/message_state',
      code: '/error_code',
      // Reports are late or lost.
      afterSeconds: 3_600,
    },
    inbound: { plivo: { secret: '{secret.auth_token}' } },
  },
};
