import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import { call, type Call, raw } from '../support/http.js';
import { describeBehind, Proxy, type ProxyName } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const found = { msisdn: '2348031234567', operator: 'MTN', country: 'NG', ported: false, dnd: false };
const json: readonly [string, string] = ['content-type', 'application/json'];
const body = '{"phone":"08031234567"}';

describe('GET /lookup/phone with its body', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
    ({ key } = await fixture.issueKey());
    await fixture.answerLookups(() => found);
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    fixture.asked.length = 0;
  });

  for (const name of ['nginx', 'haproxy'] as const satisfies readonly ProxyName[]) {
    describeBehind(name, () => {
      let proxy: Proxy;
      beforeAll(async () => {
        proxy = await Proxy.start(name, gateway.port);
      });
      afterAll(() => proxy.stop());

      const ask = (request: Call) =>
        call(proxy.port, {
          path: '/lookup/phone',
          ...request,
          headers: [['authorization', key], ...(request.headers ?? [])],
        });

      it('works as without the proxy', async () => {
        const { status, json: answer, headers } = await ask({ headers: [json], body });
        expect([status, answer]).toEqual([200, found]);
        expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-lookup-source': expect.any(String) });
        expect(fixture.asked).toEqual([{ phone: '08031234567' }]);
      });

      it('works in chunks', async () => {
        const head = [
          'GET /lookup/phone HTTP/1.1',
          'Host: x',
          'Connection: close',
          `Authorization: ${key}`,
          json.join(': '),
          'Transfer-Encoding: chunked',
        ];
        const received = await raw(proxy.port, `${head.join('\r\n')}\r\n\r\n17\r\n${body}\r\n0\r\n\r\n`);
        expect(received).toContain('HTTP/1.1 200 OK');
        expect(fixture.asked).toEqual([{ phone: '08031234567' }]);
      });

      it('is rejected if it differs from the query, and may be absent beside one', async () => {
        const differing = await ask({ path: '/lookup/phone?phone=08051234567', headers: [json], body });
        expect(expectError(differing, 400)).not.toEqual([]);
        expect(await ask({ path: '/lookup/phone?phone=08031234567' })).toMatchObject({ status: 200 });
        expectError(await ask({}), 400);
      });
    });
  }
});
