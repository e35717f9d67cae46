import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { CallbackConsumer } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpCaller } from '../src/http/http-caller.js';
import { HttpClients } from '../src/http/http-exchange.js';
import type { HttpSettings } from '../src/http/http-settings.js';
import type { RequestSettings } from '../src/http/request/request-settings.js';
import type { ReportAddress } from '../src/inbound/inbound-token.js';
import { shownText } from './shown-text.js';

const secret = 'k3y/+& with ü';
const message = {
  recipient: '+2348031234567',
  recipient_digits: '2348031234567',
  sender: 'Acme',
  text: 'Hello',
  reference: 'r1',
};
const accepted = JSON.stringify({ id: 'm1' });

describe('calls to an HTTP provider', () => {
  let server: CallbackConsumer;
  let answer: RequestListener;
  const clients = new HttpClients();

  beforeAll(async () => {
    server = await CallbackConsumer.start((request, response) => {
      answer(request, response);
    });
  });
  afterAll(async () => {
    await clients.close();
    await server.stop();
  });

  const call = (
    request: Partial<RequestSettings> = {},
    changes: Partial<HttpSettings> = {},
    signal?: AbortSignal,
    reportAddress?: ReportAddress,
  ) => {
    const url = `http://127.0.0.1:${server.port}/send`;
    const settings = {
      request: { url, ...request },
      answer: { reference: '/id', message: '/error' },
      allowPrivate: true,
      ...changes,
    };
    const caller = new HttpCaller({
      clients,
      settings,
      secrets: { key: secret },
      maxTimeoutMs: 5_000,
      reportAddress,
    });
    return caller.call(message, signal);
  };

  it.each([
    [429, '30', 30_000],
    [503, '30', 30_000],
    [429, new Date(Date.now() - 60_000).toUTCString(), 0],
    [429, 'soon', undefined],
    [400, '30', undefined],
    [500, '30', undefined],
  ])('with the status %d and Retry-After: %s wait for %d ms', async (status, retryAfter, ms) => {
    answer = (_, response) => response.writeHead(status, { 'retry-after': retryAfter }).end('{}');
    expect((await call()).retryAfterMs).toBe(ms);
  });

  it('give the provider an address for reports, whose token operators do not see', async () => {
    answer = (_, response) => {
      const [, sent] = /at=([^&]*)/.exec(server.seen.at(-1)?.body ?? '') ?? [];
      response
        .writeHead(400)
        .end(JSON.stringify({ error: `no such host: ${decodeURIComponent(sent ?? '')}` }));
    };
    const token = 'the-token_of-the-provider';
    const address = { url: `https://sms.example/in/p/${token}`, token };
    const called = await call({ form: { at: '{report_url}' } }, {}, undefined, address);
    expect(server.seen.at(-1)?.body).toBe(`at=${encodeURIComponent(`${address.url}/r1`)}`);
    expect(shownText(called)).toContain('https://sms.example/in/p/***/r1');
    expect(shownText(called)).not.toContain(token);
  });

  it.each([
    ['a URL', () => ({ url: `http://127.0.0.1:${server.port}/?key={secret.key}` })],
    ['a form', () => ({ form: { key: '{secret.key}' } })],
    ['JSON', () => ({ json: { key: '{secret.key}' } })],
    ['a text', () => ({ text: 'key={secret.key}' })],
    ['a header', () => ({ headers: { 'x-key': '{secret.key}' } })],
    ['Basic', () => ({ basic: { username: 'me', password: '{secret.key}' } })],
  ])('show no secret that is in %s, also if the provider repeats the request', async (_, request) => {
    answer = (_request, response) => {
      const { path = '', body = '', headers } = server.seen.at(-1) ?? {};
      response
        .writeHead(400)
        .end(JSON.stringify({ error: `refused: ${path} ${body} ${String(headers?.['x-key'])}` }));
    };
    const called = await call(request());
    const sent = JSON.stringify(server.seen.at(-1));
    expect(called).toMatchObject({ outcome: 'refused', shown: { answer: { status: 400 } } });
    const shown = shownText(called);
    expect(shown).toContain('***');
    expect(shown).not.toContain('k3y');
    expect(shown).not.toContain(Buffer.from(`me:${secret}`).toString('base64'));
    // The provider got it.
    expect(sent.includes('k3y') || sent.includes(Buffer.from(`me:${secret}`).toString('base64'))).toBe(true);
  });

  it('do not follow a redirect: the URL in the settings is wrong', async () => {
    const before = server.seen.length;
    answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end(accepted);
    expect(await call()).toMatchObject({ outcome: 'account', shown: { answer: { status: 307 } } });
    expect(server.seen.slice(before).map(({ path }) => path)).toEqual(['/send']);
  });

  it('read the first 64 KiB of an answer; the outcome of a longer one is unknown', async () => {
    answer = (_, response) => response.end(`{"id": "m1", "padding": "${'x'.repeat(100_000)}"}`);
    const { outcome, reason, shown } = await call();
    expect([outcome, reason, shown.answer?.text.length]).toEqual([
      'unknown',
      'unreadable_answer',
      64 * 1_024,
    ]);
  });

  it('do not ask for compression; the outcome of a compressed answer is unknown', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(accepted));
    expect(await call()).toMatchObject({ outcome: 'unknown', reason: 'unreadable_answer' });
    expect(server.seen.at(-1)?.headers['accept-encoding']).toBeUndefined();
  });

  it('mask a secret that the answer escapes as PHP does', async () => {
    const echo = secret.replace('/', String.raw`\/`);
    answer = (_, response) => response.writeHead(400).end(`{"key":"${echo}"}`);
    expect((await call()).shown.answer?.text).toBe('{"key":"***"}');
  });

  it('report that nothing was sent if the timeout ends before the connection is made', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      // The TLS handshake never ends.
      const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}/`;
      expect(await call({ url }, { timeoutMs: 200 })).toMatchObject({
        outcome: 'transient',
        reason: 'provider_unreachable',
        failure: 'timeout',
      });
    } finally {
      silent.close();
    }
  });

  it('report that nothing was sent if the request is invalid, fails or is not allowed', async () => {
    const before = server.seen.length;
    expect(await call({ headers: { 'transfer-encoding': 'chunked' } })).toMatchObject({
      outcome: 'transient',
      reason: 'invalid_request',
    });
    expect(await call({ url: 'http://127.0.0.1:1/' })).toMatchObject({
      outcome: 'transient',
      reason: 'provider_unreachable',
      failure: 'connect',
    });
    expect(await call({}, { allowPrivate: false })).toMatchObject({
      outcome: 'transient',
      failure: 'refused_address',
    });
    expect(await call({}, {}, AbortSignal.abort())).toMatchObject({ outcome: 'transient' });
    expect(server.seen.length).toBe(before);
  });
});
