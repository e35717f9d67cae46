import {
  type CallbackDetails,
  changeEndpoint,
  type ChangeEndpointRequest,
  createEndpoint,
  type NewEndpointRequest,
  findCallback,
} from '@gangan/contracts';
import { newId } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller } from '@nestjs/common';
import { expectError } from './support/error-shape.js';
import { GatewayFixture, type IssuedKey } from './support/gateway-fixture.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';

const at = '2026-11-15T09:30:00.123000+00:00';
const endpoint = {
  id: newId(),
  url: 'https://example.com/',
  events: [],
  enabled: true,
  created_datetime: at,
};
const received = {
  id: newId(),
  ...{ type: 'message.received', resource_id: newId(), url: endpoint.url, status: 'delivered' },
  ...{ attempt_count: 1, created_datetime: at, request_id: 'x', body: '{"text":"secret"}', attempts: [] },
} as CallbackDetails;

/** Whether the keys of the requests that the worker received may read messages. */
const heard: unknown[] = [];

@Controller()
class CallbackDouble {
  @Handles(createEndpoint)
  create(request: NewEndpointRequest) {
    heard.push(request.reads_messages);
    return { ...endpoint, secret: 'whsec_x' };
  }

  @Handles(changeEndpoint)
  change(request: ChangeEndpointRequest) {
    heard.push(request.reads_messages);
    return endpoint;
  }

  @Handles(findCallback)
  find() {
    return received;
  }
}

describe('callbacks of an organisation', () => {
  const scopes = ['callbacks:read', 'callbacks:write', 'sms:write', 'airtime:write'];
  let fixture: GatewayFixture;
  let inProduction: RunningGateway;
  let elsewhere: RunningGateway;
  let restricted: IssuedKey;
  let free: IssuedKey;

  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    await fixture.answer(CallbackDouble);
    elsewhere = await fixture.gateway();
    inProduction = await fixture.gateway({ environment: 'production' });
    restricted = await fixture.issueKey({ scopes });
    free = await fixture.issueKey({ scopes });
    await fixture.database.organisation.update({
      where: { id: restricted.organisationId },
      data: { restrictedCallbacks: true },
    });
  });
  afterAll(() => fixture.stop());

  const send = (gateway: RunningGateway, { key }: IssuedKey, path: string, body: object): Promise<Answer> =>
    gateway.call({
      method: path.includes('/callback-endpoints/') ? 'PATCH' : 'POST',
      path,
      headers: [
        ['authorization', key],
        ['content-type', 'application/json'],
      ],
      body: JSON.stringify(body),
    });
  const status = async (gateway: RunningGateway, key: IssuedKey, url: string): Promise<number> =>
    (await send(gateway, key, '/callback-endpoints', { url })).status;

  it('that is restricted use https in production, and no ports of other protocols', async () => {
    const blocked = 'https://example.com:25/';
    expect(await status(inProduction, restricted, 'https://example.com:8443/')).toBe(200);
    expect(await status(inProduction, restricted, 'http://example.com/')).toBe(400);
    expect(await status(inProduction, restricted, blocked)).toBe(400);
    expect(await status(elsewhere, restricted, 'http://example.com/')).toBe(200);
    expect(await status(elsewhere, restricted, blocked)).toBe(400);
    // Those of earlier versions go on as before.
    expect(await status(inProduction, free, 'http://example.com:25/')).toBe(200);
  });

  it.each([
    ['/sms/send', { recipients: '08031234567', content: 'x' }, 'callback'],
    ['/airtime/buy', { recipient: '08031234567', network: 'MTN', amount: 100 }, 'callback'],
    [`/callback-endpoints/${endpoint.id}`, {}, 'url'],
  ])('are checked in %s', async (path, fields, field) => {
    const body = { ...fields, [field]: 'http://example.com/' };
    expect(expectError(await send(inProduction, restricted, path, body), 400)).toEqual([`${field} url`]);
  });

  it('contain texts of messages only if the key may read them', async () => {
    const reader = await fixture.issueKey({ scopes: [...scopes, 'sms:read'] });
    heard.splice(0);
    for (const key of [free, reader]) {
      await send(elsewhere, key, '/callback-endpoints', { url: endpoint.url, reads_messages: true });
      await send(elsewhere, key, `/callback-endpoints/${endpoint.id}`, { reads_messages: true });
    }
    expect(heard).toEqual([false, false, true, true]);
    const read = ({ key }: IssuedKey) =>
      elsewhere.call({ path: `/callbacks/${received.id}`, headers: [['authorization', key]] });
    expectError(await read(free), 403);
    expect(await read(reader)).toMatchObject({ status: 200, json: { body: received.body } });
  });
});
