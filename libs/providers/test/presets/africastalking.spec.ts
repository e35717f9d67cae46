import { fakeAfricasTalking } from '@gangan/testing';
import { africastalking } from '../../src/presets/africastalking.js';
import { describePreset, formReport } from './describe-preset.js';

const apiKey = 'atsk_"key/with+special&characters';

describePreset(africastalking, {
  script: fakeAfricasTalking(apiKey, 'acme'),
  secrets: { api_key: apiKey },
  form: { username: 'acme' },
  sent: ({ recipient, text }) => ({ to: recipient, from: 'Acme', text }),
  reference: /^ATXid_\d+$/,
  credit: { currency: 'KES', micros: 1_785_500_000n },
  cost: { currency: 'KES', micros: 800_000n },
  // The codes of the first page (13, of which 100 to 102 mean accepted), 409 of the second, and statuses of HTTP.
  refusal: (code) => ({ code }),
  tables: [{ title: 'a code of an accepted message', codes: '100 101 102', sent: ['accepted', undefined] }],
  refusals: [
    [{ code: '401' }, 'failed', 'rejected'],
    [{ code: '402' }, 'refused', 'invalid_sender'],
    [{ code: '403' }, 'failed', 'invalid_number'],
    [{ code: '404' }, 'failed', 'invalid_number'],
    [{ code: '405' }, 'account', 'provider_account'],
    [{ code: '406' }, 'failed', 'recipient_blocked'],
    [{ code: '407' }, 'refused', 'no_route'],
    [{ code: '409' }, 'failed', 'dnd'],
    [{ code: '500' }, 'transient', 'provider_unavailable'],
    [{ code: '501' }, 'transient', 'provider_unavailable'],
    [{ code: '502' }, 'transient', 'provider_unavailable'],
    [{ code: '499' }, 'refused', 'provider_error'],
    [{ code: 'InvalidSenderId' }, 'refused', 'invalid_sender'],
    [{ code: 'InsufficientBalance' }, 'account', 'provider_account'],
    [{ status: 400, code: 'Bad Request' }, 'refused', 'provider_error'],
    [{ status: 429, code: 'Too Many Requests' }, 'throttled', 'throttled'],
    [{ status: 500, code: 'Server Error' }, 'unknown', 'no_answer'],
  ],
  reports: {
    request: (status = '', failureReason = '') =>
      formReport({
        id: 'ATXid_1',
        status,
        phoneNumber: '+2348031234567',
        networkCode: '62130',
        retryCount: '0',
        ...(failureReason !== '' && { failureReason }),
      }),
    states: [
      [['Sent'], 'sent'],
      [['Submitted'], 'sent'],
      [['Buffered'], 'sent'],
      [['Success'], 'delivered'],
      [['Rejected'], 'undelivered', 'rejected'],
      [['Failed'], 'undelivered', 'provider_error'],
      [['AbsentSubscriber'], 'undelivered', 'unreachable'],
      [['Expired'], 'expired'],
      [['Failed', 'InsufficientCredit'], 'undelivered', 'provider_error'],
      [['Failed', 'InvalidLinkId'], 'undelivered', 'provider_error'],
      [['Failed', 'UserIsInactive'], 'undelivered', 'unreachable'],
      [['Rejected', 'UserInBlackList'], 'undelivered', 'recipient_blocked'],
      [['Failed', 'UserAccountSuspended'], 'undelivered', 'unreachable'],
      [['Failed', 'NotNetworkSubcriber'], 'undelivered', 'invalid_number'],
      [['Failed', 'UserNotSubscribedToProduct'], 'undelivered', 'provider_error'],
      [['Failed', 'UserDoesNotExist'], 'undelivered', 'invalid_number'],
      [['Failed', 'DeliveryFailure'], 'undelivered', 'provider_error'],
      [['Rejected', 'DoNotDisturbRejection'], 'undelivered', 'dnd'],
    ],
  },
});
