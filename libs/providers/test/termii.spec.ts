import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { CallbackConsumer, FakeTermii } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpCaller, HttpClients } from '../src/http/http-caller.js';
import type { HttpSettings } from '../src/http/http-settings.js';
import { termii } from '../src/presets/termii.js';

const apiKey = 'TL"Key/with+special&characters';
const message = {
  ...{ recipient: '+2348031234567', recipient_digits: '2348031234567' },
  ...{ sender: 'Acme', text: 'Your order is on its way', reference: 'r1' },
};

/** Follows https://developers.termii.com/messaging-api and https://developers.termii.com/error/. */
describe('the preset termii', () => {
  let server: FakeTermii;
  const clients = new HttpClients();

  beforeAll(async () => {
    server = await FakeTermii.start(apiKey);
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });
  beforeEach(() => {
    server.behaviour = () => 'accept';
  });

  const caller = (changes: Partial<HttpSettings> = {}, secret = apiKey) =>
    new HttpCaller({
      ...{ clients, secrets: { api_key: secret }, maxTimeoutMs: 5_000 },
      settings: {
        ...termii.settings,
        request: { ...termii.settings.request, url: server.url },
        allowPrivate: true,
        ...changes,
      },
    });

  it('sends a message and reads its reference', async () => {
    const { outcome, reference, request } = await caller().call(message);
    expect([outcome, reference]).toEqual(['accepted', expect.stringMatching(/^\d{25}$/)]);
    expect(server.sent.at(-1)).toEqual({
      ...{ api_key: apiKey, to: '2348031234567', from: 'Acme', sms: message.text },
      ...{ type: 'plain', channel: 'dnd' },
    });
    expect(JSON.parse(request.body ?? '')).toMatchObject({ api_key: '***' });
    await caller().call({ ...message, text: 'Ẹ káàárọ̀' });
    expect(server.sent.at(-1)).toMatchObject({ type: 'unicode' });
  });

  it.each([
    [400, 'Bad Request', 'failed', 'provider_error'],
    [400, 'Insufficient balance', 'account', 'provider_account'],
    [400, 'Your account is not active', 'account', 'provider_account'],
    [400, 'You are not set up on this route', 'transient', 'no_route'],
    [400, 'Your device has reached the daily limit', 'transient', 'daily_limit'],
    [400, 'Invalid Sender Id', 'failed', 'invalid_sender'],
    [404, 'ApplicationSenderId not found for applicationId: 1', 'failed', 'invalid_sender'],
    [400, 'This service is currently not active on your account', 'account', 'provider_account'],
    [400, 'No active subscription on your device', 'account', 'provider_account'],
    [400, 'Device not active', 'account', 'provider_account'],
    [503, 'Service temporarily unavailable', 'transient', 'provider_unavailable'],
    [404, 'Device not found', 'failed', 'invalid_sender'],
    [401, 'Unauthorized', 'account', 'provider_account'],
    [403, 'Forbidden', 'account', 'provider_account'],
    [404, 'Not Found', 'account', 'provider_account'],
    [405, 'Method Not allowed', 'account', 'provider_account'],
    [422, 'Unprocessable entity', 'failed', 'provider_error'],
    [429, 'Too Many Requests', 'throttled', 'throttled'],
    [500, 'Server Error', 'unknown', 'no_answer'],
    [502, 'Bad Gateway', 'unknown', 'no_answer'],
  ])('maps %i "%s" to %s', async (status, text, outcome, reason) => {
    server.behaviour = () => ({ status, message: text });
    expect(await caller().call(message)).toMatchObject({ outcome, reason, detail: `${status} ${text}` });
  });

  it('reports a wrong key as a fault of the account, and shows no key', async () => {
    const call = await caller({}, 'a-wrong-key').call(message);
    expect(call).toMatchObject({ outcome: 'account', answer: { status: 401 } });
    expect(JSON.stringify(call)).not.toContain('a-wrong-key');
  });

  it('does not know the outcome after a hang, garbage or a lost answer', async () => {
    const results: [string, string | undefined][] = [];
    for (const behaviour of ['hang', 'garbage', 'lost'] as const) {
      server.behaviour = () => behaviour;
      const { outcome, reason } = await caller({ timeoutMs: 300 }).call(message);
      results.push([outcome, reason]);
    }
    expect(results).toEqual([
      ['unknown', 'no_answer'],
      ['unknown', 'unreadable_answer'],
      ['unknown', 'no_answer'],
    ]);
  });

  it('knows that nothing was sent if the timeout ends before the connection is made', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      // The TLS handshake never ends.
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      const request = { ...termii.settings.request, url };
      expect(await caller({ request, timeoutMs: 200 }).call(message)).toMatchObject({
        ...{ outcome: 'transient', reason: 'provider_unreachable', failure: 'timeout' },
      });
    } finally {
      silent.close();
    }
  });

  it('knows that nothing was sent if the request is invalid', async () => {
    const before = server.requests;
    const headers = { 'transfer-encoding': 'chunked' };
    const request = { ...termii.settings.request, url: server.url, headers };
    expect(await caller({ request }).call(message)).toMatchObject({
      ...{ outcome: 'transient', reason: 'invalid_request' },
    });
    expect(server.requests).toBe(before);
  });

  it('masks a secret that the answer escapes as PHP does', async () => {
    const echo = apiKey.replace('"', String.raw`\"`).replace('/', String.raw`\/`);
    const php = await CallbackConsumer.start((_, response) =>
      response.writeHead(400).end(`{"key":"${echo}"}`),
    );
    try {
      const url = `http://127.0.0.1:${php.port}/`;
      const { answer } = await caller({ request: { ...termii.settings.request, url } }).call(message);
      expect(answer?.text).toBe('{"key":"***"}');
    } finally {
      await php.stop();
    }
  });

  it('knows that nothing was sent if it cannot connect, or may not', async () => {
    const before = server.requests;
    const unreachable = { ...termii.settings.request, url: 'http://127.0.0.1:1/' };
    expect(await caller({ request: unreachable }).call(message)).toMatchObject({
      ...{ outcome: 'transient', reason: 'provider_unreachable', failure: 'connect' },
    });
    expect(await caller({ allowPrivate: false }).call(message)).toMatchObject({
      ...{ outcome: 'transient', failure: 'refused_address' },
    });
    expect(await caller().call(message, AbortSignal.abort())).toMatchObject({ outcome: 'transient' });
    expect(server.requests).toBe(before);
  });
});
