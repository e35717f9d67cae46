import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { GatewayFixture } from '../support/gateway-fixture.js';
import { call } from '../support/http.js';
import { describeBehind, Proxy, type ProxyName } from '../support/proxy.js';
import type { RunningGateway } from '../support/running-gateway.js';

const requests = 40;
/** As large as a webhook may be. The gateway has read a part of each when it responds. */
const body = Buffer.alloc(3 * 1_024 * 1_024, ' ');

for (const name of ['nginx', 'haproxy'] as const satisfies readonly ProxyName[]) {
  describeBehind(name, () => {
    let fixture: GatewayFixture;
    let gateway: RunningGateway;
    let proxy: Proxy;
    beforeAll(async () => {
      fixture = await GatewayFixture.create();
      gateway = await fixture.gateway({ bodyTimeoutMs: 60_000, discardedBytesPerSecond: 1 });
      proxy = await Proxy.start(name, gateway.port);
    });
    afterAll(async () => {
      await proxy.stop();
      await fixture.stop();
    });

    it('a client gets the response although the rest of its body is not read', async () => {
      const send = () => call(proxy.port, { method: 'POST', path: '/nowhere', body });
      const answers = await Promise.allSettled(Array.from({ length: requests }, send));
      const statuses = answers.map((answer) =>
        answer.status === 'fulfilled' ? answer.value.status : String(answer.reason),
      );
      expect(new Set(statuses)).toEqual(new Set([404]));
    });
  });
}
