import type { ServerResponse } from 'node:http';
import { CallbackConsumer, type SeenCallback } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HttpCaller } from '../src/http/http-caller.js';
import { HttpClients } from '../src/http/http-exchange.js';
import { shownText } from './shown-text.js';

const secrets = { id: 'client-id', secret: 'client/secret' };
const message = {
  recipient: '+2348031234567',
  recipient_digits: '2348031234567',
  sender: 'Acme',
  text: 'Hello',
  reference: 'r1',
};

/** RFC 6749, section 4.4. */
describe('access tokens of an HTTP provider', () => {
  let server: CallbackConsumer;
  let answerToken: (response: ServerResponse, request: number) => void;
  /** The token that the provider takes. */
  let valid: string;
  const clients = new HttpClients();

  const requestsTo = (path: string): SeenCallback[] => server.seen.filter((seen) => seen.path === path);

  beforeAll(async () => {
    server = await CallbackConsumer.start((request, response) => {
      if (request.url === '/token') answerToken(response, requestsTo('/token').length);
      else if (request.headers.authorization === `Bearer ${valid}`) response.end('{"id":"m1"}');
      else response.writeHead(401).end(JSON.stringify({ refused: request.headers.authorization }));
    });
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });
  beforeEach(() => {
    server.seen.length = 0;
    valid = 'token-1';
    answerToken = (response, request) =>
      response.end(JSON.stringify({ access_token: `token-${request}`, expires_in: 3_600 }));
  });

  const caller = () => {
    const url = `http://127.0.0.1:${server.port}`;
    const settings = {
      request: {
        url: `${url}/send`,
        json: { to: '{recipient}', text: '{text}' },
        oauth2: { url: `${url}/token`, basic: { username: '{secret.id}', password: '{secret.secret}' } },
      },
      answer: { reference: '/id' },
      allowPrivate: true,
    };
    return new HttpCaller({ clients, settings, secrets, maxTimeoutMs: 5_000 });
  };

  it('are requested once for many messages', async () => {
    const own = caller();
    const calls = await own.callAll(
      Array.from({ length: 20 }, () => message),
      5,
    );
    expect(calls.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 20 }, () => 'accepted'));
    await own.call(message);
    expect([requestsTo('/token').length, requestsTo('/send').length]).toEqual([1, 21]);
    expect(requestsTo('/token')[0]).toMatchObject({
      body: 'grant_type=client_credentials',
      headers: { authorization: `Basic ${btoa(`${secrets.id}:${secrets.secret}`)}` },
    });
  });

  it('are renewed once after a 401, and no message is sent twice', async () => {
    const own = caller();
    await own.call(message);
    valid = 'token-2';
    const calls = await own.callAll([message, message, message], 3);
    expect(calls.map(({ outcome }) => outcome)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(requestsTo('/token')).toHaveLength(2);
  });

  it('that the provider always rejects are a fault of the account, and are not shown', async () => {
    valid = 'another';
    const call = await caller().call(message);
    expect(call).toMatchObject({ outcome: 'account', shown: { answer: { status: 401 } } });
    expect(requestsTo('/send')).toHaveLength(2);
    expect(shownText(call)).not.toContain('token-');
  });

  it('that cannot be requested are never an unknown outcome, as nothing was sent', async () => {
    const outcomes = [];
    for (const status of [400, 401, 429, 500]) {
      answerToken = (response) => response.writeHead(status).end('client/secret');
      const call = await caller().call(message);
      outcomes.push(call.outcome);
      expect(shownText(call)).not.toContain(secrets.secret);
    }
    answerToken = (response) => response.destroy();
    outcomes.push((await caller().call(message)).outcome);
    expect(outcomes).toEqual(['account', 'account', 'throttled', 'transient', 'transient']);
    expect(requestsTo('/send')).toHaveLength(0);
  });
});
