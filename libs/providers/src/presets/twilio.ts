import type { OutcomeRule } from '../http/answer-settings.js';
import type { ReportRule } from '../http/reports/report-settings.js';
import type { Preset } from './preset.js';

/**
 * The error codes of answers and reports, by their meaning. Codes that are not here (of WhatsApp, of registrations, of
 * parameters that the request does not have) mean that this provider does not send the message.
 */
const codes = {
  invalid_number: ['21211', '21265', '21266', '21268', '21604', '21614', '21635', '30005', '30006', '30014'],
  // The recipient has replied STOP.
  opted_out: ['21610'],
  recipient_blocked: ['30004', '30630'],
  unreachable: ['30003', '30046'],
  invalid_sender: [
    ...['21212', '21264', '21267', '21601', '21603', '21606', '21607', '21616', '21657', '21659', '21660'],
    ...['21661', '30018', '30024', '30032', '30033', '30034', '30035', '30040', '30041', '30042', '30620'],
    '572002',
  ],
  too_long: ['21605', '21617', '30019', '30044'],
  // By a filter, against fraud, or by a rule of the country.
  rejected: ['21618', '30007', '30043', '30450', '30453', '30485', '30610', '30615'],
  // Only for some destinations: the account can still send to others.
  no_route: ['21408', '21608', '21612', '21703', '572005'],
  // The queue of one sender is full; others can still send.
  sender_queue_full: ['21611', '30001'],
  // A limit of a carrier for one sender.
  daily_limit: ['30023', '30027'],
  throttled: ['20429', '30022'],
} as const;

type Reason = keyof typeof codes;

const rules = (outcome: OutcomeRule['outcome'], ...reasons: readonly Reason[]): OutcomeRule[] =>
  reasons.map((reason) => ({ code: codes[reason], outcome, reason }));

const undelivered = (Object.keys(codes) as Reason[]).map((reason): ReportRule => ({
  code: codes[reason],
  state: 'undelivered',
  reason,
}));

/**
 * The dictionary of error codes was read in a public copy of its JSON file from February 2025. The pages of 30044, 30045,
 * 30047, 572002, 572005 and 572006 are newer, and 30046 is from a public list.
 */
export const twilio: Preset = {
  title: 'Twilio',
  pages: [
    'https://www.twilio.com/docs/messaging/api/message-resource',
    'https://www.twilio.com/docs/api/errors',
    'https://www.twilio.com/docs/messaging/guides/track-outbound-message-status',
    'https://www.twilio.com/docs/usage/security',
    'https://www.twilio.com/docs/usage/api/account-balance',
  ],
  kind: 'http',
  domain: 'message',
  channels: ['sms'],
  secrets: ['account_sid', 'auth_token'],
  settings: {
    request: {
      url: 'https://api.twilio.com/2010-04-01/Accounts/{secret.account_sid}/Messages.json',
      basic: { username: '{secret.account_sid}', password: '{secret.auth_token}' },
      form: {
        To: '{recipient}',
        From: '{sender}',
        Body: '{text}',
        StatusCallback: '{report_url}',
      },
    },
    answer: { code: '/code', reference: '/sid', message: '/message' },
    credit: {
      request: { url: '/2010-04-01/Accounts/{secret.account_sid}/Balance.json' },
      amount: '/balance',
      currency: '/currency',
    },
    outcomes: [
      ...rules(
        'failed',
        'invalid_number',
        'opted_out',
        'recipient_blocked',
        'unreachable',
        'too_long',
        'rejected',
      ),
      ...rules('refused', 'invalid_sender', 'no_route'),
      ...rules('transient', 'sender_queue_full', 'daily_limit'),
      ...rules('throttled', 'throttled'),
      {
        code: [
          ...['10001', '10002', '20003', '20005', '20006', '20008', '20010', '20403', '20404', '20410'],
          ...['21470', '21471', '21472', '21609', '21626', '21701', '21702', '21704', '21705', '30002'],
          ...['30037', '30454', '63038'],
        ],
        outcome: 'account',
      },
      // An internal error and a timeout, whatever the status is.
      { code: ['20500', '20504'], outcome: 'unknown', reason: 'no_answer' },
      { code: ['21730', '30017', '30020', '30021', '30047', '30410', '30500'], outcome: 'transient' },
    ],
    incoming: { from: '/From', to: '/To', text: '/Body', id: '/MessageSid' },
    reports: {
      reference: '/MessageSid',
      status: '/MessageStatus',
      code: '/ErrorCode',
      states: [
        { status: ['delivered', 'read'], state: 'delivered' },
        { status: ['accepted', 'scheduled', 'queued', 'sending', 'sent'], state: 'sent' },
        ...undelivered,
        { code: ['30036'], state: 'expired' },
        { status: ['undelivered', 'failed', 'canceled'], state: 'undelivered' },
      ],
    },
    poll: {
      request: { url: '/2010-04-01/Accounts/{secret.account_sid}/Messages/{provider_reference}.json' },
      status: '/status',
      code: '/error_code',
      // Reports are late or lost.
      afterSeconds: 3_600,
    },
    inbound: { twilio: { secret: '{secret.auth_token}' } },
  },
};
