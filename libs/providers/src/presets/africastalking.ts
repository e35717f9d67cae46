import type { Preset } from './preset.js';

/** 20:00 to 08:00, and a minute more at each end, because our clock may differ. */
const promotionalNights = '19:59-08:01 Africa/Lagos';

/**
 * The table of status codes is under "API response" on the first page; both pages were read in public copies. Not from
 * the pages: a refusal of all recipients has no results, and the status as `Message`; the codes 500 to 502 mean that the
 * message was not sent (such a result costs nothing and has no id); a batch may have 100 recipients. 409 means that the
 * recipient is on the DND list; since 2023 also, at night, that the sender is promotional (last page).
 */
export const africastalking: Preset = {
  title: "Africa's Talking",
  pages: [
    'https://developers.africastalking.com/docs/sms/sending/bulk',
    'https://developers.africastalking.com/docs/sms/notifications',
    'https://docs.africastalking.com/userdata/balance',
    'https://status.africastalking.com/incident/538/',
  ],
  kind: 'http',
  domain: 'message',
  channels: ['sms'],
  secrets: ['api_key'],
  registeredSenders: true,
  settings: {
    request: {
      url: 'https://api.africastalking.com/version1/messaging',
      headers: { apiKey: '{secret.api_key}', Accept: 'application/json' },
      form: {
        username: '{your_username}',
        to: '{recipient}',
        from: '{sender}',
        message: '{text}',
        bulkSMSMode: '1',
      },
      batch: { size: 100, separator: ',' },
    },
    answer: {
      items: '/SMSMessageData/Recipients',
      recipient: '/number',
      reference: '/messageId',
      code: '/statusCode',
      accepted: ['100', '101', '102'],
      message: '/status',
    },
    cost: { currency: 'KES', price: '/cost' },
    credit: { request: { url: '/version1/user?username={form.username}' }, amount: '/UserData/balance' },
    outcomes: [
      { code: ['401'], outcome: 'failed', reason: 'rejected' },
      { code: ['403', '404'], outcome: 'failed', reason: 'invalid_number' },
      { code: ['406'], outcome: 'failed', reason: 'recipient_blocked' },
      { code: ['407'], outcome: 'refused', reason: 'no_route' },
      { code: ['409'], hours: promotionalNights, outcome: 'quiet' },
      { code: ['409'], outcome: 'failed', reason: 'dnd' },
      { status: 409, hours: promotionalNights, outcome: 'quiet' },
      { code: ['500', '501', '502'], outcome: 'transient' },
      { text: 'InvalidSenderId', outcome: 'refused', reason: 'invalid_sender' },
      { text: 'InsufficientBalance', outcome: 'account' },
    ],
    incoming: { from: '/from', to: '/to', text: '/text', id: '/id', time: '/date' },
    reports: {
      reference: '/id',
      status: '/status',
      code: '/failureReason',
      states: [
        { status: ['Success'], state: 'delivered' },
        { status: ['Sent', 'Submitted', 'Buffered'], state: 'sent' },
        { code: ['DoNotDisturbRejection'], state: 'undelivered', reason: 'dnd' },
        { code: ['UserInBlackList'], state: 'undelivered', reason: 'recipient_blocked' },
        { code: ['UserDoesNotExist', 'NotNetworkSubcriber'], state: 'undelivered', reason: 'invalid_number' },
        { code: ['UserIsInactive', 'UserAccountSuspended'], state: 'undelivered', reason: 'unreachable' },
        { status: ['AbsentSubscriber'], state: 'undelivered', reason: 'unreachable' },
        { status: ['Expired'], state: 'expired' },
        { status: ['Rejected'], state: 'undelivered', reason: 'rejected' },
        { status: ['Failed'], state: 'undelivered' },
      ],
    },
  },
};
