import { createHmac } from 'node:crypto';
import { findForgery } from '../../src/inbound/verify-request.js';
import { fakeVonage } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/http/inbound-document.js';
import { readReports } from '../../src/http/reports/read-reports.js';
import { vonage } from '../../src/presets/vonage.js';
import { describePreset, formReport, jsonReport, undelivered } from './describe-preset.js';

const secrets = { api_key: 'abcd1234', api_secret: 'vonage-secret' };
const receipt = (status = '', code = '0') => ({
  msisdn: '2348031234567',
  to: 'Acme',
  'network-code': '62130',
  messageId: '0A1',
  price: '0.0333',
  status,
  scts: '2011171030',
  'err-code': code,
  'api-key': secrets.api_key,
  'client-ref': 'r1',
  'message-timestamp': '2026-11-17 10:30:00',
});

describePreset(vonage, {
  script: fakeVonage(secrets.api_key, secrets.api_secret),
  secrets,
  sent: ({ recipient_digits: to, text, reference }) => ({
    to,
    from: 'Acme',
    text,
    reference,
    type: text.startsWith('Ẹ') ? 'unicode' : 'text',
  }),
  reference: /^0A\d+$/,
  credit: { currency: 'EUR', micros: 10_280_000n },
  cost: { currency: 'EUR', micros: 33_300n },
  refusals: [
    [{ code: '1' }, 'throttled', 'throttled'],
    [{ code: '2' }, 'refused', 'provider_error'],
    [{ code: '3' }, 'refused', 'provider_error'],
    [{ code: '4' }, 'account', 'provider_account'],
    [{ code: '5' }, 'unknown', 'unclear_answer'],
    [{ code: '6' }, 'failed', 'invalid_number'],
    [{ code: '7' }, 'failed', 'recipient_blocked'],
    [{ code: '8' }, 'account', 'provider_account'],
    [{ code: '9' }, 'account', 'provider_account'],
    [{ code: '10' }, 'throttled', 'throttled'],
    [{ code: '11' }, 'account', 'provider_account'],
    [{ code: '12' }, 'failed', 'too_long'],
    [{ code: '14' }, 'account', 'provider_account'],
    [{ code: '15' }, 'refused', 'invalid_sender'],
    [{ code: '22' }, 'refused', 'provider_error'],
    [{ code: '23' }, 'account', 'provider_account'],
    [{ code: '29' }, 'refused', 'no_route'],
    [{ code: '32' }, 'account', 'provider_account'],
    [{ code: '33' }, 'failed', 'invalid_number'],
    [{ code: '98' }, 'refused', 'provider_error'],
    [{ status: 401, code: '4' }, 'account', 'provider_account'],
    [{ status: 429, code: '1' }, 'throttled', 'throttled'],
    [{ status: 500, code: '' }, 'unknown', 'no_answer'],
  ],
  failure: (code) => jsonReport(receipt('failed', code)),
  // The 23 values of err-code on the page about delivery receipts, of which 0 means delivered.
  tables: [
    undelivered('a number that is not active', 'invalid_number', '3'),
    undelivered('a phone that is off', 'unreachable', '2 7 15'),
    undelivered('a recipient who is blocked', 'recipient_blocked', '4 9 13 14'),
    undelivered('a filter', 'rejected', '6 50 52 53 54'),
    undelivered('a sender that is not allowed', 'invalid_sender', '51'),
    undelivered('no route', 'no_route', '11 12'),
    undelivered('a quota', 'throttled', '16'),
    undelivered('another error', 'provider_error', '1 5 8 10 99'),
  ],
  reports: {
    request: (status, code) => jsonReport(receipt(status, code)),
    states: [
      [['delivered'], 'delivered'],
      [['accepted'], 'sent'],
      [['buffered'], 'sent'],
      [['unknown', '1'], 'sent'],
      [['expired', '4'], 'expired'],
      [['failed'], 'undelivered', 'provider_error'],
      [['rejected'], 'undelivered', 'rejected'],
      [['rejected', '9'], 'undelivered', 'recipient_blocked'],
      [['expired', '2'], 'expired'],
    ],
  },
});

describe('a report of Vonage', () => {
  it('is JSON, a form or a query', () => {
    const { reports: settings } = vonage.settings;
    const form = formReport(receipt('delivered'));
    const requests = [jsonReport(receipt('delivered')), form, { query: form.body, body: '' }];
    for (const request of requests)
      expect(settings && readReports(settings, documentOf(request)).reports).toEqual([
        { providerReference: '0A1', reference: 'r1', state: 'delivered' },
      ]);
  });

  /** https://developer.vonage.com/en/getting-started/concepts/signing-messages; set as docs/operate/providers.md says. */
  it('is genuine only with its signature, if the provider is set to require one', () => {
    const inbound = { vonage: { algorithm: 'sha256', secret: '{secret.signature_secret}' } } as const;
    const fields = {
      ...receipt('delivered'),
      timestamp: String(Math.floor(Date.now() / 1_000)),
      nonce: 'n1',
    };
    const signed = Object.entries(fields)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, value]) => `&${name}=${value}`);
    const sig = createHmac('sha256', 'the signature secret').update(signed.join('')).digest('hex');
    const isFromVonage = (body: object): boolean =>
      findForgery(
        inbound,
        { signature_secret: 'the signature secret' },
        {
          method: 'POST',
          url: 'https://sms.example/in/vonage/token',
          headers: {},
          contentType: 'application/json',
          body: Buffer.from(JSON.stringify(body)),
        },
      ) === undefined;
    expect(isFromVonage({ ...fields, sig })).toBe(true);
    expect(isFromVonage({ ...fields, sig, status: 'failed' })).toBe(false);
    expect(isFromVonage({ ...fields, sig: 'ab'.repeat(32) })).toBe(false);
    expect(isFromVonage(fields)).toBe(false);
  });
});
