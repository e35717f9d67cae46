import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { call } from '../support/http.js';
import { describeBehind, Proxy, type ProxyName } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';

const client = '203.0.113.7';

describe('the address in the log line of a refused request', () => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
  });
  afterAll(() => fixture.stop());

  const addressOf = async (gateway: RunningGateway, forwardedFor: string, key = '', port = gateway.port) => {
    const headers = [['x-forwarded-for', forwardedFor] as const, ['authorization', key] as const];
    const answer = await call(port, { path: '/balance', headers });
    const lines = () => gateway.log.requests(answer.headers['x-request-id']);
    await until('the request is logged', () => lines().length > 0);
    return [answer.status, (lines()[0] as { address?: unknown }).address];
  };

  it('is the address of the peer unless the peer is a trusted proxy', async () => {
    expect(await addressOf(await fixture.gateway(), client)).toEqual([401, '127.0.0.1']);
    const gateway = await fixture.gateway({ trustedProxies: '10.0.0.0/8' });
    expect(await addressOf(gateway, client)).toEqual([401, '127.0.0.1']);
  });

  it('is the last one in X-Forwarded-For that is not a trusted proxy', async () => {
    const gateway = await fixture.gateway({ trustedProxies: '127.0.0.1, 10.0.0.0/8' });
    expect(await addressOf(gateway, client)).toEqual([401, client]);
    expect(await addressOf(gateway, `198.51.100.1, ${client}, 10.1.2.3`)).toEqual([401, client]);
    expect(await addressOf(gateway, 'not an address')).toEqual([401, '127.0.0.1']);
  });

  it('is shown for a missing scope and a used up limit too, but not for an accepted request', async () => {
    const limits = { RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 1 };
    const gateway = await fixture.gateway({ trustedProxies: '127.0.0.1', limits });
    const { key } = await fixture.issueKey({ scopes: ['sms:read'] });
    expect(await addressOf(gateway, client, key)).toEqual([403, client]);
    const { key: other } = await fixture.issueKey({ scopes: ['billing:read'] });
    expect(await addressOf(gateway, client, other)).toEqual([200, undefined]);
    const refused = await until('the limit is used up', async () => {
      const found = await addressOf(gateway, client, other);
      return found[0] === 429 && found;
    });
    expect(refused).toEqual([429, client]);
  });

  for (const name of ['nginx', 'haproxy'] as const satisfies readonly ProxyName[]) {
    describeBehind(name, () => {
      it('is the address of the client of the proxy, not what the client claims', async () => {
        const gateway = await fixture.gateway({ trustedProxies: '127.0.0.2' });
        const trusting = await fixture.gateway({ trustedProxies: '127.0.0.1' });
        const proxies = [
          await Proxy.start(name, gateway.port),
          await Proxy.start(name, trusting.port),
        ] as const;
        // The client of the proxy is 127.0.0.1 itself: trusted, its claim counts; not trusted, it does not.
        expect(await addressOf(gateway, client, '', proxies[0].port)).toEqual([401, '127.0.0.1']);
        expect(await addressOf(trusting, client, '', proxies[1].port)).toEqual([401, client]);
        for (const proxy of proxies) await proxy.stop();
      });
    });
  }
});
