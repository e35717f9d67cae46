import { FakeProvider, fakeWhatsApp, type WhatsAppMessage, type WhatsAppRefusal } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpCaller } from '../../src/http/http-caller.js';
import { HttpClients } from '../../src/http/http-exchange.js';
import { readAnswer } from '../../src/http/read-answer.js';
import { templateRequest, whatsAppHttp } from '../../src/whatsapp/whatsapp-requests.js';
import { findWhatsAppFaults } from '../../src/whatsapp/whatsapp-settings.js';
import { type CodeTable, describePreset, jsonReport, message } from '../presets/describe-preset.js';

const phoneNumberId = '106540352242922';
const accessToken = 'EAAJB-the-access-token';
const script = fakeWhatsApp({ phoneNumberId, accessToken });
const all = ['access_token', 'app_secret', 'verify_token'];

/** In an answer, and in the status of a message that was accepted: there, no reason names our account. */
const meaning = (title: string, outcome: string, reason: string, codes: string): CodeTable => ({
  title,
  codes,
  sent: [outcome, reason],
  reported: [
    'undelivered',
    outcome === 'account' || outcome === 'throttled' ? 'provider_unavailable' : reason,
  ],
});

/** The parts of a message; how requests of WhatsApp are verified is not part of the kind `http`. */
const settings = { ...whatsAppHttp({ phoneNumberId }), inbound: {} };

const webhook = (status: string, code?: string) =>
  jsonReport({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '102290129340398',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              statuses: [
                {
                  id: 'wamid.1',
                  status,
                  timestamp: '1750263773',
                  recipient_user_id: 'NG.13491208655302741918',
                  ...(code !== undefined && { errors: [{ code: Number(code), title: 'An error' }] }),
                },
              ],
            },
          },
        ],
      },
    ],
  });

const permissions = Array.from({ length: 100 }, (_, index) => String(200 + index)).join(' ');

describePreset<WhatsAppMessage, WhatsAppRefusal>(
  {
    title: 'the kind whatsapp',
    pages: [
      'https://developers.facebook.com/documentation/business-messaging/whatsapp/messages/send-messages',
      'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes',
    ],
    kind: 'http',
    domain: 'message',
    channels: ['whatsapp'],
    secrets: ['access_token'],
    settings,
  },
  {
    script,
    secrets: { access_token: accessToken },
    sent: ({ recipient, text, reference }) => ({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: recipient,
      type: 'text',
      text: { preview_url: false, body: text },
      biz_opaque_callback_data: reference,
    }),
    reference: /^wamid\./,
    refusal: (code) => ({ code: Number(code) }),
    failure: (code) => webhook('failed', code),
    reports: {
      request: (status = '') => webhook(status),
      states: [
        [['sent'], 'sent'],
        [['delivered'], 'delivered'],
        [['read'], 'read'],
        [['played'], 'read'],
        [['failed'], 'undelivered', 'provider_error'],
      ],
    },
    tables: [
      meaning(
        'a fault of the account',
        'account',
        'provider_account',
        `0 3 10 33 190 ${permissions} 368 1005 131005 131031 131037 131042 131045 131048 131064 133000 133005 133006
         133008 133009 133010 133015 133016 134011`,
      ),
      meaning('the throughput', 'throttled', 'throttled', '4 80007 130429'),
      meaning('the rate of a recipient', 'transient', 'pair_limit', '131056'),
      meaning('an outage', 'transient', 'provider_unavailable', '2 131016 131057 133004 2494100'),
      meaning('an error of WhatsApp', 'transient', 'provider_error', '1 131000'),
      meaning('a recipient that this number does not reach', 'transient', 'no_route', '130497 131030'),
      meaning('a recipient without WhatsApp', 'failed', 'invalid_number', '131021 131026'),
      meaning('a blocked recipient', 'failed', 'recipient_blocked', '130403 131050'),
      meaning('too much marketing', 'failed', 'marketing_limit', '130472 131049 131063'),
      meaning('the window of 24 hours', 'refused', 'window_closed', '131047'),
      meaning('an unknown template', 'refused', 'template_unknown', '132001'),
      meaning('a paused template', 'refused', 'template_paused', '132015'),
      meaning('a disabled template', 'refused', 'template_disabled', '132016'),
      meaning('a rejected template', 'refused', 'template_rejected', '132007'),
      meaning('wrong values of a template', 'failed', 'template_mismatch', '132000 132012 132018'),
      meaning('a long text', 'failed', 'too_long', '131001 132005'),
      meaning(
        'a request that is not valid',
        'failed',
        'rejected',
        '100 131008 131009 131051 131052 131053 131055 132068 132069 134101 134102 135000',
      ),
    ],
    refusals: [
      [{ code: 131000, status: 500 }, 'transient', 'provider_error'],
      [{ code: 2, status: 503 }, 'transient', 'provider_unavailable'],
      [{ code: 130429, status: 429 }, 'throttled', 'throttled'],
      [{ code: 987654 }, 'refused', 'provider_error'],
      [{ code: 987654, status: 500 }, 'unknown', 'no_answer'],
      [{ code: 987654, status: 429 }, 'throttled', 'throttled'],
    ],
  },
);

describe('a template of WhatsApp', () => {
  const clients = new HttpClients();
  let server: FakeProvider<WhatsAppMessage, WhatsAppRefusal>;
  beforeAll(async () => {
    server = await FakeProvider.start(script);
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });

  const sentWith = async (template: NonNullable<Parameters<HttpCaller['call']>[0]['template']>) => {
    const settings = { phoneNumberId, url: new URL(server.url).origin, allowPrivate: true };
    const caller = new HttpCaller({
      clients,
      secrets: { access_token: accessToken },
      maxTimeoutMs: 5_000,
      settings: whatsAppHttp(settings),
      requestFor: templateRequest(settings),
    });
    const values = message();
    expect(await caller.call({ ...values, template })).toMatchObject({ outcome: 'accepted' });
    expect(server.sent.at(-1)).toMatchObject({
      type: 'template',
      biz_opaque_callback_data: values.reference,
    });
    return server.sent.at(-1)?.template;
  };

  it('is sent without values', async () => {
    expect(await sentWith({ name: 'hello_world', language: 'en_US', values: [] })).toEqual({
      name: 'hello_world',
      language: { policy: 'deterministic', code: 'en_US' },
    });
  });

  it('is sent with its values, in which nothing is expanded', async () => {
    const values = ['{text}', '{secret.access_token}', '{value_0}'];
    expect(await sentWith({ name: 'order', language: 'en', values })).toMatchObject({
      components: [{ type: 'body', parameters: values.map((text) => ({ type: 'text', text })) }],
    });
  });

  it('for authentication has the code in the body and in the button', async () => {
    expect(await sentWith({ name: 'otp', language: 'en', values: ['01234'], code: '01234' })).toMatchObject({
      components: [
        { type: 'body', parameters: [{ type: 'text', text: '01234' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '01234' }] },
      ],
    });
  });
});

describe('settings of the kind whatsapp', () => {
  it('are validated with all faults at once', () => {
    expect(findWhatsAppFaults({ phoneNumberId }, all)).toEqual([]);
    const own = { phoneNumberId: '+234', apiVersion: '26', url: 'x', extra: 1 };
    expect(findWhatsAppFaults(own, all)).toHaveLength(3);
    expect(findWhatsAppFaults({ phoneNumberId, url: 'http://graph.example' }, ['access_token', 'x'])).toEqual(
      [
        'the secret app_secret is not given',
        'the secret verify_token is not given',
        'the secret x is given, but is not used',
        'settings.url must begin with https://, unless allowPrivate is true',
      ],
    );
  });

  it('can give a code another meaning', () => {
    const errors = [{ code: ['131026'], outcome: 'transient' as const }];
    expect(findWhatsAppFaults({ phoneNumberId, errors }, all)).toEqual([]);
    expect(whatsAppHttp({ phoneNumberId, errors }).outcomes?.[0]).toEqual(errors[0]);
    const faults = findWhatsAppFaults({ phoneNumberId, errors: [{ code: ['x'], outcome: 'accepted' }] }, all);
    expect(faults).toHaveLength(2);
  });

  it('can give a status another meaning, and waits for quiet hours only if they are known', () => {
    const firstOutcomes = [{ status: 503, outcome: 'unknown' as const }];
    expect(findWhatsAppFaults({ phoneNumberId, firstOutcomes }, all)).toEqual([]);
    const answer = { status: 503, text: 'Service Unavailable' };
    expect(readAnswer(whatsAppHttp({ phoneNumberId }), answer).outcome).toBe('transient');
    expect(readAnswer(whatsAppHttp({ phoneNumberId, firstOutcomes }), answer).outcome).toBe('unknown');
    const quiet = { code: ['131049'], outcome: 'quiet' };
    expect(findWhatsAppFaults({ phoneNumberId, errors: [quiet] }, all)).toHaveLength(1);
    expect(findWhatsAppFaults({ phoneNumberId, firstOutcomes: [quiet] }, all)).toEqual([
      'settings.firstOutcomes.0.hours is missing: quiet needs the hours in which the provider refuses messages',
    ]);
  });
});
