import {
  type EstimatedSms,
  estimateLargeSms,
  estimateSms,
  sendSms,
  type SendSmsRequest,
  type SmsMessage,
} from '@gangan/contracts';
import { requireOrganisationId, type RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { expectError } from '../support/error-shape.js';
import { GatewayFixture, type IssuedKey } from '../support/gateway-fixture.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';

const good = { recipients: '08031234567', content: 'Hello' };
const answered: EstimatedSms = {
  content: 'Hello',
  recipient_count: 1,
  affordable: false,
  rejected: [{ recipient: '08031234567', reason: { code: 'dnd', message: 'Listed' } }],
  meta: {
    method: 'POST',
    resource: '/sms/estimate',
    estimate: { available_balance: 1, charge: 4, encoding: 'GSM-7', message_length: 5, pages: 1 },
  },
};

const asked: { readonly by: string; readonly large: boolean; readonly request: SendSmsRequest }[] = [];

/** Replaces the messaging worker. */
@Controller()
class MessagingDouble {
  @Handles(estimateSms)
  small(request: SendSmsRequest, context: RequestContext): EstimatedSms {
    asked.push({ by: requireOrganisationId(context), large: false, request });
    return answered;
  }

  @Handles(estimateLargeSms)
  large(request: SendSmsRequest, context: RequestContext): EstimatedSms {
    asked.push({ by: requireOrganisationId(context), large: true, request });
    return answered;
  }

  @Handles(sendSms)
  send(_: SendSmsRequest, { operationId: id }: RequestContext): SmsMessage {
    return { id } as SmsMessage;
  }
}

describe('estimates at the gateway', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let own: IssuedKey;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(MessagingDouble);
    gateway = await fixture.gateway();
    own = await fixture.issueKey({ scopes: ['sms:write'] });
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    asked.length = 0;
  });

  const post = (body: string, path = '/sms/estimate', ...headers: [string, string][]): Promise<Answer> =>
    gateway.call({
      method: 'POST',
      path,
      headers: [['authorization', own.key], ['content-type', 'application/json'], ...headers],
      body,
    });
  const estimate = (fields: object, ...headers: [string, string][]): Promise<Answer> =>
    post(JSON.stringify({ ...good, ...fields }), '/sms/estimate', ...headers);

  it('return what the worker estimates, for the organisation of the key', async () => {
    const fields = { sender_id: 'Acme', category: 'promotional', is_trackable: true };
    expect(await estimate(fields)).toMatchObject({ status: 200, json: answered });
    expect(asked).toEqual([
      { by: own.organisationId, large: false, request: expect.objectContaining({ ...good, ...fields }) },
    ]);
  });

  it('of many recipients, or of a smartlist, do not delay others', async () => {
    await estimate({ recipients: Array(49).fill('08031234567').join() });
    await estimate({ recipients: Array(50).fill('08031234567').join() });
    await estimate({ recipients: undefined, smartlist_id: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42' });
    expect(asked.map(({ large }) => large)).toEqual([false, true, true]);
  });

  it.each([
    [{ recipients: '' }],
    [{ recipients: '0,'.repeat(1_000) }],
    [{ smartlist_id: 'x' }],
    [{ content: 'x'.repeat(1_601) }],
    [{ channel: 'fax', sender_id: 'x'.repeat(12) }],
    [{ callback: 'ftp://example.com' }],
    [{ senderid: 'Acme' }],
  ])('find the errors that a send finds: case %#', async (fields) => {
    const body = JSON.stringify({ ...good, ...fields });
    const errors = expectError(await post(body, '/sms/send'), 400);
    expect(errors).not.toEqual([]);
    expect(expectError(await post(body), 400)).toEqual(errors);
    expect(asked).toEqual([]);
  });

  it('take a body of up to 1 MiB', async () => {
    const rest = JSON.stringify({ ...good, more: '' });
    const body = (bytes: number): string =>
      rest.replace('"more":""', `"more":"${'x'.repeat(bytes - rest.length)}"`);
    expect((await post(body(1_048_576))).status).toBe(200);
    expectError(await post(body(1_048_577)), 413);
  });

  it('ignore an Idempotency-Key, which a send may use too', async () => {
    const header: [string, string] = ['idempotency-key', 'order-17'];
    expect((await estimate({}, header)).status).toBe(200);
    const again = await estimate({}, header);
    expect(again).toMatchObject({ status: 200, json: answered });
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect(asked).toHaveLength(2);
    const sent = await post(JSON.stringify(good), '/sms/send', header);
    expect(sent).toMatchObject({ status: 200, json: { id: expect.any(String) } });
    expect(sent.headers['idempotent-replayed']).toBeUndefined();
  });

  it('need the scope of a send', async () => {
    const { key: reader } = await fixture.issueKey({ scopes: ['sms:read'] });
    const call = (headers: [string, string][]) =>
      gateway.call({ method: 'POST', path: '/sms/estimate', headers, body: JSON.stringify(good) });
    const json: [string, string] = ['content-type', 'application/json'];
    expectError(await call([['authorization', reader], json]), 403);
    expectError(await call([json]), 401);
  });
});
