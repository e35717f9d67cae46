import { createHmac } from 'node:crypto';
import { fakeTwilio } from '@gangan/testing';
import { isGenuine } from '@gangan/contracts';
import { describe, expect, it } from '@jest/globals';
import { twilio } from '../../src/presets/twilio.js';
import { describePreset, formReport } from './describe-preset.js';

const secrets = { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: '12345-auth-token' };
const report = (MessageStatus = '', ErrorCode = '') =>
  formReport({
    ...{ AccountSid: secrets.account_sid, MessageSid: 'SM1', SmsSid: 'SM1', MessageStatus, From: 'Acme' },
    ...{ To: '+2348031234567', ApiVersion: '2010-04-01', ...(ErrorCode !== '' && { ErrorCode }) },
  });

describePreset(twilio, {
  script: fakeTwilio(secrets.account_sid, secrets.auth_token),
  secrets,
  sent: ({ recipient, text }) => ({ to: recipient, from: 'Acme', text }),
  reference: /^SM\d{32}$/,
  refusals: [
    [{ code: '21211' }, 'failed', 'invalid_number'],
    [{ code: '21265' }, 'failed', 'invalid_number'],
    [{ code: '21614' }, 'failed', 'invalid_number'],
    [{ code: '21635' }, 'failed', 'invalid_number'],
    [{ code: '21610' }, 'failed', 'recipient_blocked'],
    [{ code: '21212' }, 'failed', 'invalid_sender'],
    [{ code: '21601' }, 'failed', 'invalid_sender'],
    [{ code: '21606' }, 'failed', 'invalid_sender'],
    [{ code: '21659' }, 'failed', 'invalid_sender'],
    [{ code: '21660' }, 'failed', 'invalid_sender'],
    [{ code: '21661' }, 'failed', 'invalid_sender'],
    [{ code: '21617' }, 'failed', 'too_long'],
    [{ code: '21408' }, 'transient', 'no_route'],
    [{ code: '21608' }, 'transient', 'no_route'],
    [{ code: '21612' }, 'transient', 'no_route'],
    [{ code: '21609' }, 'account', 'provider_account'],
    [{ status: 429, code: '21611' }, 'transient', 'sender_queue_full'],
    [{ status: 429, code: '20429' }, 'throttled', 'throttled'],
    [{ status: 401, code: '20003' }, 'account', 'provider_account'],
    [{ status: 403, code: '10001' }, 'account', 'provider_account'],
    [{ status: 404, code: '20404' }, 'account', 'provider_account'],
    [{ code: '29999' }, 'failed', 'provider_error'],
    [{ status: 500, code: '20500' }, 'unknown', 'no_answer'],
    [{ status: 503, code: '20503' }, 'unknown', 'no_answer'],
  ],
  reports: {
    request: report,
    states: [
      [['accepted'], 'sent'],
      [['scheduled'], 'sent'],
      [['queued'], 'sent'],
      [['sending'], 'sent'],
      [['sent'], 'sent'],
      [['delivered'], 'delivered'],
      [['read'], 'delivered'],
      [['canceled'], 'undelivered', 'provider_error'],
      [['failed', '30001'], 'undelivered', 'provider_error'],
      [['failed', '30002'], 'undelivered', 'provider_error'],
      [['undelivered', '30003'], 'undelivered', 'unreachable'],
      [['undelivered', '30005'], 'undelivered', 'invalid_number'],
      [['undelivered', '30006'], 'undelivered', 'invalid_number'],
      [['undelivered', '30007'], 'undelivered', 'rejected'],
      [['undelivered', '30008'], 'undelivered', 'provider_error'],
    ],
  },
});

/** https://www.twilio.com/docs/usage/security */
describe('a report of Twilio', () => {
  const url = 'https://sms.example/in/twilio/token';
  const { body } = report('delivered');
  const sorted = [...new URLSearchParams(body)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const signed = createHmac('sha1', secrets.auth_token)
    .update(url + sorted.flat().join(''))
    .digest('base64');
  const isFromTwilio = (signature: string | undefined, received = body, at = url) =>
    isGenuine(twilio.settings.inbound ?? {}, secrets, {
      ...{
        method: 'POST',
        url: at,
        headers: { 'x-twilio-signature': signature },
        body: Buffer.from(received),
      },
    });

  it('is genuine only with the signature of its address and its fields', () => {
    expect(isFromTwilio(signed)).toBe(true);
    expect(isFromTwilio(undefined)).toBe(false);
    expect(isFromTwilio(`${signed.slice(0, -4)}AAA=`)).toBe(false);
    expect(isFromTwilio(signed, body.replace('delivered', 'failed'))).toBe(false);
    expect(isFromTwilio(signed, `${body}&Extra=1`)).toBe(false);
    expect(isFromTwilio(signed, body, `${url}?x=1`)).toBe(false);
  });
});
