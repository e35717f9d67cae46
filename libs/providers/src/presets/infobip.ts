import type { Preset } from './preset.js';

/** Why a message is refused or not delivered: names of statuses and, in reports, of errors. */
const reasons = {
  dnd: ['REJECTED_DND', 'EC_DEST_ADDRESS_BLACKLISTED'],
  recipient_blocked: [
    ...['REJECTED_DESTINATION_BLOCKLISTED', 'EC_ILLEGAL_SUBSCRIBER', 'EC_CUG_REJECT', 'EC_IMSI_BLACKLISTED'],
    ...['EC_SC_BLOCKED_BY_END_USER', 'EC_SC_BLOCKED_FOR_END_USER', 'EC_DESTINATION_BLOCKED_BY_OPERATOR'],
    ...['EC_CONTENT_BLOCKED', 'EC_BLOCKED_BY_CAMPAIGN_BLACKLIST', 'EC_BLACKLISTED_DESTINATIONADDRESS'],
  ],
  // Only for some destinations: the account can still send to others.
  no_route: [
    ...['REJECTED_NETWORK', 'REJECTED_ROUTE_NOT_AVAILABLE', 'REJECTED_DESTINATION_NOT_REGISTERED'],
    ...['EC_ACCOUNT_NOT_PROVISIONED_FOR_CHANNEL', 'EC_ACC_HAS_NO_ADRESS_FOR_DESR'],
  ],
  invalid_number: [
    ...['REJECTED_PREFIX_MISSING', 'MISSING_TO', 'REJECTED_DESTINATION', 'EC_UNKNOWN_SUBSCRIBER'],
    ...['EC_UNIDENTIFIED_SUBSCRIBER', 'EC_TELESERVICE_NOT_PROVISIONED', 'EC_DESTINATION_NOT_SMS_PROVISIONED'],
    ...['EC_INVALID_DESTINATION_ADDRESS', 'EC_INVALID_REQUEST_DESTINATION', 'EC_OPERATOR_NOT_FOUND'],
    ...['EC_DEST_ADDRESS_UNABLE_TO_RECEIVE_SMS', 'EC_DEACTIVATED_LIST'],
  ],
  invalid_sender: [
    ...['REJECTED_SOURCE', 'REJECTED_SENDER', 'EC_INVALID_SOURCE_ADDRESS', 'EC_SOURCE_ADDRESS_IS_BLOCKED'],
    ...['EC_BLACKLISTED_SENDERADDRESS', 'EC_SC_NOT_PROVISIONED', 'EC_SC_EXPIRED', 'EC_SC_BLOCKED'],
    ...['EC_TF_NUMBER_NOT_VERIFIED', 'EC_CAMPAIGNID_NOT_PROVISIONED', 'EC_CAMPAIGN_ID_REJECTED'],
  ],
  unreachable: [
    ...['EC_ABSENT_SUBSCRIBER_SM', 'EC_ABSENT_SUBSCRIBER', 'EC_ROAMING_NOT_ALLOWED', 'EC_CALL_BARRED'],
    ...['EC_SUBSCRIBER_BUSY_FOR_MT_SMS', 'EC_SM_DF_MEMORYCAPACITYEXCEEDED', 'EC_USER_OUT_OF_CREDIT'],
    ...['EC_TEMPORARY_HANDSET_FAILURE', 'EC_DEST_ADDRESS_SUSPENDED'],
  ],
  too_long: ['REJECTED_MESSAGE_TOO_LONG', 'EC_MSG_TEXT_TOO_LONG'],
  rejected: [
    ...['REJECTED_FLOODING_FILTER', 'SIGNALS_BLOCKED', 'EC_CONTENT_BLOCKED_BY_OPERATOR'],
    ...['EC_REJECTED_SPAM_BY_OPERATOR', 'EC_SIGNALS_BLOCKED', 'EC_DESTINATION_FLOODING'],
    ...['EC_DESTINATION_TXT_FLOODING', 'EC_SMS_REJECTED_BY_MOBILE_OPERATOR', 'EC_DUPLICATE_MESSAGE'],
  ],
  throttled: ['EC_LIMIT_REACHED'],
  daily_limit: ['EC_QUOTA_REACHED', 'EC_10DLC_LIMIT_REACHED', 'EC_SIGNALS_HARD_LIMIT_REACHED'],
} as const;

type Reason = keyof typeof reasons;
const failed = (reason: Reason) => ({ text: reasons[reason], outcome: 'failed', reason }) as const;
const refused = (reason: Reason) => ({ ...failed(reason), outcome: 'refused' }) as const;

/**
 * Every account has a base URL of its own: change `request.url`. The message has our reference as its id, by which Infobip
 * refuses a second one, and can be asked. The tables of statuses and errors were read in a public copy of the second page
 * from July 2026; its tables for voice, email, push and other products do not concern SMS, and the errors of DLT (India)
 * have no reason of their own here. Not from the pages: that a batch may have 100 messages.
 */
export const infobip: Preset = {
  title: 'Infobip',
  pages: [
    'https://www.infobip.com/docs/api/channels/sms/outbound-sms/send-sms-messages',
    'https://www.infobip.com/docs/essentials/api-essentials/response-status-and-error-codes',
    'https://www.infobip.com/docs/developer-resources/api-fundamentals/message-status-codes',
    'https://www.infobip.com/docs/developer-resources/api-fundamentals/handling-errors',
    'https://dev.infobip.com/settings/account-balance',
    'https://infobip.com/docs/api/channels/sms/inbound-sms/receive-inbound-sms-messages',
  ],
  kind: 'http',
  domain: 'message',
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
    credit: { request: { url: '/account/1/balance' }, amount: '/balance', currency: '/currency' },
    answer: {
      items: '/messages',
      ownReference: '/messageId',
      reference: '/messageId',
      code: '/status/groupName',
      accepted: ['ACCEPTED', 'PENDING', 'DELIVERED'],
      message: '/status/name',
    },
    outcomes: [
      failed('dnd'),
      failed('recipient_blocked'),
      refused('no_route'),
      failed('invalid_number'),
      refused('invalid_sender'),
      failed('too_long'),
      failed('rejected'),
      { text: ['NOT_ENOUGH_CREDITS', 'PREPAID_PACKAGE_EXPIRED'], outcome: 'account' },
      { text: ['SYSTEM_ERROR', 'REJECTED_PLATFORM'], outcome: 'transient' },
      // An earlier request with this id was accepted; it is asked about.
      { text: 'DUPLICATE_MESSAGE_ID', outcome: 'unknown' },
    ],
    ask: {
      request: { url: '/sms/3/logs?messageId={reference}' },
      answer: {
        items: '/results',
        reference: '/messageId',
        code: '/status/groupName',
        accepted: ['PENDING', 'DELIVERED', 'UNDELIVERABLE', 'EXPIRED'],
      },
      outcomes: [{ code: ['REJECTED'], outcome: 'failed', reason: 'rejected' }],
    },
    incoming: {
      list: '/results',
      from: '/from',
      to: '/to',
      text: '/text',
      id: '/messageId',
      time: '/receivedAt',
    },
    reports: {
      list: '/results',
      reference: '/messageId',
      ownReference: '/messageId',
      status: '/status/groupName',
      code: ['/status/name', '/error/name'],
      cost: { price: '/price/pricePerMessage', priceCurrency: '/price/currency', parts: '/messageCount' },
      states: [
        { code: ['DELIVERED_TO_OPERATOR'], state: 'sent' },
        { status: ['DELIVERED'], state: 'delivered' },
        { status: ['PENDING'], state: 'sent' },
        // Also in the group EXPIRED.
        { code: ['SIGNALS_BLOCKED'], state: 'undelivered', reason: 'rejected' },
        { status: ['EXPIRED'], state: 'expired' },
        ...(Object.keys(reasons) as Reason[]).map(
          (reason) =>
            ({
              status: ['UNDELIVERABLE', 'REJECTED'],
              code: reasons[reason],
              state: 'undelivered',
              reason,
            }) as const,
        ),
        {
          status: ['UNDELIVERABLE'],
          code: ['EC_VALIDITY_EXPIRED', 'EC_MESSAGE_CANCELED', 'EC_VP_EXPIRED', 'EC_MESSAGE_EXPIRED'],
          state: 'expired',
        },
        { status: ['REJECTED'], state: 'undelivered', reason: 'rejected' },
        { status: ['UNDELIVERABLE'], state: 'undelivered' },
      ],
    },
  },
};
