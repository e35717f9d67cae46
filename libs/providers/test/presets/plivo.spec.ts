import { findForgery } from '../../src/inbound/verify-request.js';
import { type FakeMessage, fakePlivo } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { plivo } from '../../src/presets/plivo.js';
import { describePreset, formReport, reportUrlOf, undelivered } from './describe-preset.js';

const secrets = { auth_id: 'MA2025RK4E639VJFZAGV', auth_token: 'plivo-auth-token' };
const script = fakePlivo(secrets.auth_id, secrets.auth_token);
const report = (Status = '', ErrorCode = '') =>
  formReport({
    MessageUUID: 'b48d95dc-e3ac-11eb-a9c2-0242ac110004',
    From: 'Acme',
    To: '2348031234567',
    Status,
    Units: '1',
    TotalRate: '0.00350',
    TotalAmount: '0.00350',
    ...(ErrorCode !== '' && { ErrorCode }),
  });

describePreset(plivo, {
  script,
  secrets,
  sent: (values) => ({
    to: values.recipient_digits,
    from: 'Acme',
    text: values.text,
    reportUrl: reportUrlOf(values),
  }),
  reference: /^[0-9a-f-]{36}$/,
  credit: { currency: 'USD', micros: 1_809_000n },
  refusals: [
    // The statuses and errors of its page.
    [{ status: 400, code: 'invalid_parameter' }, 'refused', 'provider_error'],
    [{ status: 401, code: 'authentication_failed' }, 'account', 'provider_account'],
    [{ status: 404, code: 'not_found' }, 'account', 'provider_account'],
    [{ status: 405, code: 'method_not_allowed' }, 'account', 'provider_account'],
    [{ status: 429, code: 'rate_limit_exceeded' }, 'throttled', 'throttled'],
    [{ status: 500, code: 'server error' }, 'unknown', 'no_answer'],
    // https://support.plivo.com/support/solutions/articles/17000088423 and its help about callers.
    [{ status: 400, code: 'Insufficient Credit' }, 'account', 'provider_account'],
    [
      ...[{ status: 400, code: 'This caller ID is not allowed for outbound message' }],
      ...['refused', 'invalid_sender'],
    ] as const,
  ],
  failure: (code) => report('undelivered', code),
  tables: [
    undelivered('a recipient who has opted out', 'opted_out', '200'),
    undelivered('a number that cannot be reached', 'invalid_number', '50 70'),
    undelivered('a phone that is off', 'unreachable', '80'),
    undelivered('a sender that is not allowed', 'invalid_sender', '40 201'),
    undelivered('a text that is too long', 'too_long', '110'),
    undelivered('a filter', 'rejected', '30 60'),
    undelivered('a destination that is not open', 'no_route', '90 100 450'),
    undelivered('a fault of the account or of Plivo', 'provider_unavailable', '300 900 910'),
    { title: 'an end of the validity', codes: '420', reported: ['expired', 'validity_ended'] },
    undelivered('another code', 'provider_error', '10 20 1000'),
  ],
  polled: [
    ['queued', 'sent'],
    ['delivered 000', 'delivered'],
    ['undelivered 80', 'undelivered'],
    ['failed 420', 'expired'],
  ],
  reports: {
    request: report,
    cost: { currency: 'USD', micros: 3_500n },
    states: [
      [['queued'], 'sent'],
      [['sent'], 'sent'],
      [['delivered'], 'delivered'],
      [['read'], 'delivered'],
      [['failed'], 'undelivered', 'provider_error'],
      [['undelivered'], 'undelivered', 'provider_error'],
      [['rejected'], 'undelivered', 'provider_error'],
      [['failed', '900'], 'undelivered', 'provider_unavailable'],
    ],
  },
});

describe('a report of Plivo', () => {
  const url = 'https://sms.example/in/plivo/token/0190';
  const message: FakeMessage = { to: '2348031234567', from: 'Acme', text: 'Hello', reportUrl: url };
  const sent = script.report?.({ message, number: 7, refusal: undefined }, 'undelivered 80');
  const faultOf = (change: object = {}) =>
    findForgery(plivo.settings.inbound ?? {}, secrets, {
      method: 'POST',
      url,
      headers: sent?.headers ?? {},
      body: Buffer.from(sent?.body ?? ''),
      ...change,
    });

  it('is genuine only with the signature of its address and its fields', () => {
    expect(faultOf()).toBeUndefined();
    expect(faultOf({ url: url.replace('0190', '0191') })).toMatch(/does not match/);
    expect(faultOf({ body: Buffer.from(String(sent?.body).replace('undelivered', 'delivered')) })).toMatch(
      /does not match/,
    );
    expect(faultOf({ headers: {} })).toMatch(/missing/);
  });
});
