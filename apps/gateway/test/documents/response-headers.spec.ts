import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayFixture } from '../support/gateway-fixture.js';
import type { RunningGateway } from '../support/running-gateway.js';

const document = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as { readonly paths: Readonly<Record<string, object>> };
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => [method.toUpperCase(), path.replaceAll(/\{\w+\}/g, 'x')] as const),
);
const browser: [string, string] = ['accept', 'text/html'];

/** `call` checks the headers of every response in every test; these are one of each kind. */
describe('every response forbids browsers to guess its type', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ requestTimeoutMs: 1_000 });
  });
  afterAll(() => fixture.stop());

  it('of every operation, also if it is refused', async () => {
    expect(operations.length).toBeGreaterThan(70);
    for (const [method, path] of operations) {
      const { headers } = await gateway.call({ method, path });
      expect([method, path, headers['x-content-type-options']]).toEqual([method, path, 'nosniff']);
    }
  });

  it.each<[status: number, path: string, method?: string]>([
    [200, '/'],
    [200, '/docs'],
    [200, '/docs/guides'],
    [200, '/docs/guides/sms'],
    [308, '/docs/guides/'],
    [200, '/docs/guides/callbacks/signature-vectors.json'],
    [200, '/docs/reference.js'],
    [200, '/openapi.json'],
    [200, '/openapi.json', 'HEAD'],
    [404, '/nothing'],
    [404, `/l/${'x'.repeat(3)}`],
    [400, '/%'],
    [405, '/sms/send', 'OPTIONS'],
  ])('%s of %s', async (status, path, method = 'GET') => {
    const answer = await gateway.call({ method, path, headers: [browser] });
    expect(answer).toMatchObject({ status, headers: { 'x-content-type-options': 'nosniff' } });
  });

  it.each<[status: number, bytes: string]>([
    [400, 'hello\r\n\r\n'],
    [405, 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [408, 'GET / HTTP/1.1\r\nHos'],
    [417, 'GET / HTTP/1.1\r\nHost: x\r\nExpect: x\r\nConnection: close\r\n\r\n'],
    [431, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}`],
  ])('%s that is written without Fastify', async (status, bytes) => {
    const [head = ''] = (await gateway.raw(bytes)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toMatch(/^x-content-type-options: nosniff$/im);
  });
});
