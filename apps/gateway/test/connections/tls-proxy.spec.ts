import { once } from 'node:events';
import { request, type RequestOptions } from 'node:https';
import { text } from 'node:stream/consumers';
import { freePort, until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { certificate, DocumentedProxy, serverName } from '../support/documented-proxies.js';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { call } from '../support/http.js';
import { describeBehind } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';

const found = { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false };

describeBehind('nginx', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let proxy: DocumentedProxy;
  let key: string;

  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ trustedProxies: '127.0.0.1' });
    ({ key } = await fixture.issueKey({ scopes: ['lookup:read', 'otp:write', 'sms:write', 'billing:read'] }));
    await fixture.answerLookups(() => found);
    proxy = await DocumentedProxy.nginx(gateway.port);
  });

  afterAll(async () => {
    await proxy.stop();
    await fixture.stop();
  });

  async function ask(options: RequestOptions, body?: string, port = proxy.https) {
    const sent = request({
      ...{ host: '127.0.0.1', port, servername: serverName, ca: certificate.cert, agent: false },
      ...options,
      headers: {
        ...{
          host: serverName,
          authorization: key,
          ...(options.headers as Record<string, string> | undefined),
        },
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
    });
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    return { status: response.statusCode, headers: response.headers, body: await text(response) };
  }

  it('serves the API over TLS, with the body of a GET', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await ask({ path: '/lookup/phone', headers }, '{"phone":"08031234567"}');
    expect([answer.status, JSON.parse(answer.body)]).toEqual([200, found]);
    expect(answer.headers).toMatchObject({
      'strict-transport-security': 'max-age=31536000',
      'x-content-type-options': 'nosniff',
    });
  });

  it('sends clients from HTTP to HTTPS', async () => {
    const { status, headers } = await call(proxy.http, { path: '/docs' });
    expect([status, headers.location]).toEqual([301, 'https://localhost/docs']);
  });

  it('forwards the address of the client, and drops the one that the client claims', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7', authorization: 'sk_test_unknown' };
    const { status, headers: received } = await ask({ path: '/balance', headers });
    expect(status).toBe(401);
    const lines = () => gateway.log.requests(received['x-request-id']);
    await until('the request is logged', () => lines().length > 0);
    expect(lines()[0]).toMatchObject({ address: '127.0.0.1' });
  });

  it('reports a body that is too large in the format of the API', async () => {
    const headers = { 'content-type': 'application/json' };
    for (const [path, size] of [
      ['/otp/verify', 2 ** 19],
      ['/sms/send', 2 ** 21],
      ['/sms/send', 2 ** 23],
    ] as const) {
      const body = JSON.stringify({ content: 'x'.repeat(size) });
      const answer = await ask({ method: 'POST', path, headers }, body);
      expect([path, answer.status]).toEqual([path, 413]);
      expect(JSON.parse(answer.body)).toMatchObject({ status: 413, errors: expect.any(Array) });
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('reports a gateway that does not listen in the format of the API', async () => {
    const other = await DocumentedProxy.nginx(await freePort());
    const { status, headers, body } = await ask({ path: '/balance' }, undefined, other.https);
    await other.stop();
    expect(status).toBe(503);
    expect(headers).toMatchObject({ 'retry-after': '1', 'x-content-type-options': 'nosniff' });
    expect(JSON.parse(body)).toMatchObject({ status: 503, errors: [] });
  });
});
