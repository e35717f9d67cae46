import { createHmac } from 'node:crypto';
import { findForgery } from '../../src/inbound/verify-request.js';
import { fakeTermii } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { documentOf } from '../../src/http/inbound-document.js';
import { readAnswer } from '../../src/http/read-answer.js';
import { readReports } from '../../src/http/reports/read-reports.js';
import { termii } from '../../src/presets/termii.js';
import { describePreset, jsonReport } from './describe-preset.js';

const apiKey = 'TL"Key/with+special&characters';

/** The example of https://developer.termii.com/events-and-reports. */
const report = (status = '') =>
  jsonReport({
    type: 'outbound',
    message_id: '5964465985113503103',
    receiver: '2343459509389',
    sender: 'N-Alert',
    message: 'Your confirmation code is 234u53.',
    sent_at: '2020-12-16 11:34:36',
    cost: '3.9',
    command: 'deliver',
    status,
    channel: 'Number Api',
  });

describePreset(termii, {
  script: fakeTermii(apiKey),
  secrets: { api_key: apiKey },
  sent: ({ recipient_digits: to, text: sms }) => ({
    api_key: apiKey,
    to,
    from: 'Acme',
    sms,
    channel: 'dnd',
    type: sms.startsWith('Ẹ') ? 'unicode' : 'plain',
  }),
  reference: /^\d{25}$/,
  credit: { currency: 'NGN', micros: 1_047_570_000n },
  refusals: (
    [
      // The 12 "Common Errors" of https://developers.termii.com/error/; the page does not name their status.
      [400, 'Your account is not active', 'account', 'provider_account'],
      [400, 'You are not set up on this route', 'refused', 'no_route'],
      [400, 'Your device has reached the daily limit', 'transient', 'daily_limit'],
      [400, 'Invalid Sender Id', 'refused', 'invalid_sender'],
      [404, 'Device not found', 'refused', 'invalid_sender'],
      [400, 'Insufficient balance', 'account', 'provider_account'],
      [400, 'No active subscription on your device', 'account', 'provider_account'],
      [503, 'Service temporarily unavailable', 'transient', 'provider_unavailable'],
      [400, 'This service is currently not active on your account', 'account', 'provider_account'],
      [400, 'Device not active', 'account', 'provider_account'],
      [
        ...[400, "This WhatsApp 'destination' is not in a free-form window and no template matched"],
        ...['refused', 'provider_error'],
      ],
      [401, 'Unauthorized', 'account', 'provider_account'],
      // The other statuses of its table.
      [400, 'Bad Request', 'refused', 'provider_error'],
      [403, 'Forbidden', 'account', 'provider_account'],
      [404, 'Not Found', 'account', 'provider_account'],
      [405, 'Method Not allowed', 'account', 'provider_account'],
      [422, 'Unprocessable entity', 'refused', 'provider_error'],
      [429, 'Too Many Requests', 'throttled', 'throttled'],
      [500, 'Server Error', 'unknown', 'no_answer'],
      [502, 'Bad Gateway', 'unknown', 'no_answer'],
      // Not on the page, but an answer to a sender that is not registered.
      [404, 'ApplicationSenderId not found for applicationId: 1', 'refused', 'invalid_sender'],
    ] as const
  ).map(([status, message, ...expected]) => [{ status, message }, ...expected]),
  reports: {
    request: report,
    cost: { currency: 'NGN', micros: 3_900_000n },
    states: [
      [['DELIVERED | Message delivered to handset'], 'delivered'],
      [['Delivered'], 'delivered'],
      [['DND Active on Phone Number'], 'undelivered', 'dnd'],
      [['Message Sent'], 'sent'],
      [['Received'], 'delivered'],
      [['Message Failed'], 'undelivered', 'provider_error'],
      [['Failed'], 'undelivered', 'provider_error'],
      [['Rejected'], 'undelivered', 'dnd'],
      [['Expired'], 'expired', 'validity_ended'],
    ],
  },
});

it('an older answer of Termii has only a number as its id', () => {
  const text = '{"message_id":9122821270554876574,"message":"Successfully Sent","balance":9,"user":"Peter"}';
  expect(readAnswer(termii.settings, { status: 200, text })).toEqual({
    outcome: 'accepted',
    reference: '9122821270554876574',
  });
});

/** https://developer.termii.com/events-and-reports: HMAC SHA512 of the payload; set as docs/operate/providers.md says. */
describe('a report of Termii', () => {
  const inbound = {
    hmac: { header: 'X-Termii-Signature', algorithm: 'sha512', secret: '{secret.signing_key}' },
  } as const;
  const { body } = report('Delivered');
  const isFromTermii = (signature: string | undefined, received = body) =>
    findForgery(
      inbound,
      { signing_key: 'the secret key' },
      {
        method: 'POST',
        url: 'https://sms.example/in/termii/token',
        headers: { 'x-termii-signature': signature },
        body: Buffer.from(received),
      },
    ) === undefined;

  it('is genuine only with the signature of its body, if the provider is set to require one', () => {
    const signature = createHmac('sha512', 'the secret key').update(body).digest('hex');
    expect(isFromTermii(signature)).toBe(true);
    expect(isFromTermii(undefined)).toBe(false);
    expect(isFromTermii('ab'.repeat(64))).toBe(false);
    expect(isFromTermii(signature, body.replace('Delivered', 'Failed'))).toBe(false);
  });

  it('has a reference of many digits; a report about a device has none, and is kept', () => {
    const { reports: settings } = termii.settings;
    if (!settings) throw new Error('the preset reads no reports');
    expect(readReports(settings, documentOf(report('Delivered'))).reports).toEqual([
      { providerReference: '5964465985113503103', state: 'delivered' },
    ]);
    const device = { type: 'device_status', status: 'disconnected', device_id: 'e0c5', name: 'TermiiWh' };
    expect(readReports(settings, documentOf(jsonReport(device)))).toEqual({
      reports: [],
      faults: ['a report has no reference'],
    });
  });
});
