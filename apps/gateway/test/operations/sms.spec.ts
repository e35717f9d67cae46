import { listSms, sendBulkSms, type SendSmsRequest, type SmsMessage, type SmsPage } from '@gangan/contracts';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const good = { recipients: '08031234567', content: 'Hello' };
const templated = { content: undefined, template_id: 'Hi {{name}}' };

/** Keeps long texts out of test titles. */
const named = (cases: readonly [fields: object, ...faults: string[]][]) =>
  cases.map(([fields, ...faults]) => [JSON.stringify(fields).slice(0, 60), fields, ...faults] as const);

/** Large messages that a worker has in hand, in the order in which it got them, and how to let them go. */
const inHand: { readonly organisationId: string; readonly done: () => void }[] = [];

let holding = true;

/** Replaces the messaging worker. */
@Controller()
class MessagingDouble {
  @Handles(sendBulkSms)
  async send(_: SendSmsRequest, context: RequestContext): Promise<SmsMessage> {
    await new Promise<void>((done) => {
      inHand.push({ organisationId: requireOrganisationId(context), done });
      if (!holding) done();
    });
    return { id: context.operationId } as SmsMessage;
  }

  @Handles(listSms)
  list(): SmsPage {
    return { messages: [], meta: { method: 'GET', resource: '/sms', pagination: { limit: 50 } } };
  }
}

/** Requests that the gateway rejects without a worker. */
describe('messages at the gateway', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(MessagingDouble);
    gateway = await fixture.gateway();
    ({ key } = await fixture.issueKey({ scopes: ['sms:read', 'sms:write'] }));
  });
  afterAll(async () => {
    holding = false;
    for (const { done } of inHand) done();
    await fixture.stop();
  });

  const post = (body: string, as = key): Promise<Answer> =>
    gateway.call({
      method: 'POST',
      path: '/sms/send',
      headers: [
        ['authorization', as],
        ['content-type', 'application/json'],
      ],
      body,
    });
  const send = (fields: object): Promise<Answer> => post(JSON.stringify({ ...good, ...fields }));
  const get = (path: string, as = key): Promise<Answer> =>
    gateway.call({ path, headers: [['authorization', as]] });

  it.each(
    named([
      [{ recipients: '' }, 'recipients missing'],
      [{ smartlist_id: 'x' }, 'smartlist_id value_error'],
      [{ recipients: ['08031234567'] }, 'recipients string_type'],
      [{ recipients: '0,'.repeat(1_000) }, 'recipients too_long'],
      [{ sender_id: 'x'.repeat(12) }, 'sender_id string_too_long'],
      [{ sender_id: '😀' }, 'sender_id value_error'],
      [{ channel: 'fax' }, 'channel enum'],
      [{ content: undefined }, 'content missing'],
      [{ content: 'x'.repeat(1_601) }, 'content string_too_long'],
      [{ content: '\u0001\u0002' }, 'content missing'],
      [{ content: 'a\u0000b' }, 'content value_error'],
      [{ personalisation: [{ to: '08031234567', substitutions: {} }] }, 'personalisation value_error'],
      [
        { ...templated, personalisation: [{ to: '08031234567', substitutions: { name: { a: 1 } } }, 5] },
        'personalisation.0.substitutions.name string_type',
        'personalisation.1 object_type',
      ],
      [{ is_trackable: 'true' }, 'is_trackable boolean_type'],
      [{ callback: 'ftp://example.com' }, 'callback url'],
      [{ recipients: '08031234567,x', channel: 'fax' }, 'channel enum', 'recipients.1 phone'],
    ]),
  )('refuses %s', async (_what, fields, ...faults) => {
    expect(expectError(await send(fields), 400)).toEqual(expect.arrayContaining(faults));
  });

  it('accepts a body of up to 1 MiB', async () => {
    const body = (bytes: number): string => {
      const rest = JSON.stringify({ ...good, channel: 'fax', more: '' });
      return rest.replace('"more":""', `"more":"${'x'.repeat(bytes - rest.length)}"`);
    };
    expect(expectError(await post(body(1_048_576)), 400)).toEqual(['channel enum']);
    expectError(await post(body(1_048_577)), 413);
  });

  it.each([
    ['limit=0', 'limit greater_than_equal'],
    ['before=x', 'before value_error'],
    ['page=0', 'page greater_than_equal'],
    ['page=x', 'page integer_type'],
    ['page=101&limit=100', 'page less_than_equal'],
    ['page=1&before=019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42', 'page value_error'],
    ['status=submitting', 'status enum'],
    ['since=yesterday', 'since date'],
  ])('rejects the list with ?%s', async (query, fault) => {
    expect(expectError(await get(`/sms?${query}`), 400)).toEqual([fault]);
  });

  it('limits the large messages of one organisation, so that others are served', async () => {
    const recipients = Array(60).fill('08031234567').join();
    const [one, other] = [key, (await fixture.issueKey({ scopes: ['sms:write'] })).key];
    const large = (as: string): Promise<Answer> => post(JSON.stringify({ ...good, recipients }), as);
    // More than the slots of a worker.
    const flood = Array.from({ length: 20 }, () => large(one));
    await until('two requests are in flight', () => inHand.length >= 2);
    const stranger = large(other);
    await until('three requests are in flight', () => inHand.length >= 3);
    const [first, second, third] = inHand;
    expect(second?.organisationId).toBe(first?.organisationId);
    expect(third?.organisationId).not.toBe(first?.organisationId);
    expect((await get('/sms')).status).toBe(200);
    third?.done();
    expect((await stranger).status).toBe(200);
    for (let done = 0; done < 21; done += 1) {
      await until('the next request is in flight', () => inHand.length > done);
      inHand[done]?.done();
    }
    expect(new Set((await Promise.all(flood)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('requires the scope', async () => {
    const { key: reader } = await fixture.issueKey({ scopes: ['sms:read'] });
    const { key: stranger } = await fixture.issueKey({ scopes: ['otp:read', 'otp:write'] });
    expectError(await post('{}', reader), 403);
    expectError(await get('/sms', stranger), 403);
    expectError(await gateway.call({ path: '/sms' }), 401);
    expectError(
      await gateway.call({ method: 'DELETE', path: '/sms/send', headers: [['authorization', key]] }),
      405,
    );
  });
});

describe('unknown fields', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let headers: [string, string][];
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(MessagingDouble);
    gateway = await fixture.gateway();
    const { key } = await fixture.issueKey({ scopes: ['sms:read', 'sms:write'] });
    headers = [
      ['authorization', key],
      ['content-type', 'application/json'],
    ];
  });
  afterAll(() => fixture.stop());

  it('that look like a typo are rejected with the field that was meant', async () => {
    const body = JSON.stringify({ ...good, senderid: 'Acme', persnalisation: [] });
    expect(
      expectError(await gateway.call({ method: 'POST', path: '/sms/send', headers, body }), 400),
    ).toEqual(['senderid unknown_field', 'persnalisation unknown_field']);
    expect(expectError(await gateway.call({ path: '/sms?lmit=1', headers }), 400)).toEqual([
      'lmit unknown_field',
    ]);
  });

  it('are otherwise ignored and listed', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `x${index}=1`).join('&');
    const list = await gateway.call({ path: `/sms?${names}`, headers });
    expect(list).toMatchObject({ status: 200 });
    expect(list.headers['x-ignored-fields']).toBe('x0, x1, x2, x3, x4, x5, x6, x7, x8, x9');
    const odd = await gateway.call({ path: '/sms?n%C3%A4me%2C=1', headers });
    expect(odd.headers['x-ignored-fields']).toBe('n%C3%A4me%2C');
    const withBody = await gateway.call({ path: '/sms', headers, body: '{"note":1}' });
    expect(withBody.headers['x-ignored-fields']).toBe('note');
    const none = await gateway.call({ path: '/sms', headers });
    expect(none.headers['x-ignored-fields']).toBeUndefined();
  });
});
