import { fakeInfobip } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { readReports } from '../../src/http/reports/read-reports.js';
import { infobip } from '../../src/presets/infobip.js';
import { describePreset, jsonReport } from './describe-preset.js';

const apiKey = 'infobip-key/with+special';
const result = (groupName: string, name: string, messageId = 'm1') => ({
  ...{ bulkId: 'b1', messageId, to: '2348031234567', sender: 'Acme', messageCount: 1 },
  price: { pricePerMessage: 0.01, currency: 'EUR' },
  status: { groupId: 1, groupName, id: 1, name, description: name },
  error: { groupId: 0, groupName: 'OK', id: 0, name: 'NO_ERROR', description: 'No Error', permanent: false },
});

describePreset(infobip, {
  script: fakeInfobip(apiKey),
  secrets: { api_key: apiKey },
  sent: ({ recipient_digits: to, text, reference }) => ({ to, from: 'Acme', text, reference }),
  reference: /^[0-9a-f-]{36}$/,
  refusals: [
    [{ code: 'REJECTED_NETWORK' }, 'transient', 'no_route'],
    [{ code: 'REJECTED_PREFIX_MISSING' }, 'failed', 'invalid_number'],
    [{ code: 'REJECTED_DND' }, 'failed', 'dnd'],
    [{ code: 'REJECTED_SOURCE' }, 'failed', 'invalid_sender'],
    [{ code: 'REJECTED_NOT_ENOUGH_CREDITS' }, 'account', 'provider_account'],
    [{ code: 'REJECTED_SENDER' }, 'failed', 'invalid_sender'],
    [{ code: 'REJECTED_DESTINATION_BLOCKLISTED' }, 'failed', 'recipient_blocked'],
    [{ code: 'REJECTED_PREPAID_PACKAGE_EXPIRED' }, 'account', 'provider_account'],
    [{ code: 'REJECTED_DESTINATION_NOT_REGISTERED' }, 'transient', 'no_route'],
    [{ code: 'REJECTED_ROUTE_NOT_AVAILABLE' }, 'transient', 'no_route'],
    [{ code: 'REJECTED_FLOODING_FILTER' }, 'failed', 'rejected'],
    [{ code: 'REJECTED_SYSTEM_ERROR' }, 'transient', 'provider_unavailable'],
    [{ code: 'REJECTED_DUPLICATE_MESSAGE_ID' }, 'unknown', 'unclear_answer'],
    [{ code: 'REJECTED_INVALID_UDH' }, 'failed', 'provider_error'],
    [{ code: 'REJECTED_MESSAGE_TOO_LONG' }, 'failed', 'too_long'],
    [{ code: 'MISSING_TO' }, 'failed', 'invalid_number'],
    [{ code: 'REJECTED_DESTINATION' }, 'failed', 'invalid_number'],
    [{ code: 'SIGNALS_BLOCKED' }, 'failed', 'rejected'],
    [{ code: 'UNDELIVERABLE_REJECTED_PLATFORM' }, 'transient', 'provider_unavailable'],
    [{ code: 'UNDELIVERABLE_REJECTED_OPERATOR' }, 'failed', 'provider_error'],
    [{ code: 'UNDELIVERABLE_NOT_DELIVERED' }, 'failed', 'provider_error'],
    [{ code: 'UNDELIVERABLE_NOT_SENT' }, 'failed', 'provider_error'],
    [{ code: 'EXPIRED_EXPIRED' }, 'failed', 'provider_error'],
    [{ status: 400, code: 'Request cannot be processed.' }, 'failed', 'provider_error'],
    [{ status: 401, code: 'Unauthorized' }, 'account', 'provider_account'],
    [{ status: 403, code: 'Forbidden' }, 'account', 'provider_account'],
    [{ status: 429, code: 'Too many requests' }, 'throttled', 'throttled'],
    [{ status: 500, code: 'Something went wrong.' }, 'unknown', 'no_answer'],
    [{ status: 503, code: 'Service unavailable' }, 'unknown', 'no_answer'],
  ],
  reports: {
    request: (groupName = '', name = '') => jsonReport({ results: [result(groupName, name)] }),
    states: [
      [['PENDING', 'PENDING_WAITING_DELIVERY'], 'sent'],
      [['PENDING', 'PENDING_ENROUTE'], 'sent'],
      [['PENDING', 'PENDING_ACCEPTED'], 'sent'],
      [['UNDELIVERABLE', 'UNDELIVERABLE_REJECTED_OPERATOR'], 'undelivered', 'provider_error'],
      [['UNDELIVERABLE', 'UNDELIVERABLE_NOT_DELIVERED'], 'undelivered', 'provider_error'],
      [['DELIVERED', 'DELIVERED_TO_OPERATOR'], 'sent'],
      [['DELIVERED', 'DELIVERED_TO_HANDSET'], 'delivered'],
      [['EXPIRED', 'EXPIRED_EXPIRED'], 'expired'],
      [['EXPIRED', 'EXPIRED_DLR_UNKNOWN'], 'expired'],
      [['REJECTED', 'REJECTED_NETWORK'], 'undelivered', 'rejected'],
      [['REJECTED', 'REJECTED_DND'], 'undelivered', 'dnd'],
    ],
  },
});

describe('a request of Infobip', () => {
  it('may have several reports', () => {
    const { reports: settings } = infobip.settings;
    const results = [
      result('DELIVERED', 'DELIVERED_TO_HANDSET'),
      result('EXPIRED', 'EXPIRED_EXPIRED', 'm2'),
      result('NEW', 'NEW_STATUS', 'm3'),
    ];
    expect(settings && readReports(settings, jsonReport({ results }))).toMatchObject({
      reports: [
        // The id is ours, so a report also ends a message whose answer was lost.
        { providerReference: 'm1', reference: 'm1', state: 'delivered' },
        { providerReference: 'm2', reference: 'm2', state: 'expired' },
      ],
      faults: [expect.stringContaining('NEW')],
    });
  });
});
