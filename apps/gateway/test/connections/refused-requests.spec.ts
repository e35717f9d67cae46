import { describe, expect, it } from '@jest/globals';
import { until } from '@gangan/testing';
import { GatewayFixture } from '../support/gateway-fixture.js';
import type { Line } from '../support/recording-logger.js';

const debugToken = 'a'.repeat(32);

/** Sends refused requests to a gateway and stops it. */
async function refuse(): Promise<readonly Line[]> {
  const fixture = await GatewayFixture.create();
  try {
    const gateway = await fixture.gateway({ maxRepeatedLines: 5, debugToken });
    const { key } = await fixture.issueKey({ scopes: [] });
    for (let count = 0; count < 20; count += 1) {
      await gateway.call({ path: '/nowhere' });
      await gateway.call({ path: '/lookup/phone' });
      await gateway.raw('this is not HTTP\r\n\r\n');
    }
    await gateway.call({ path: '/nowhere', headers: [['x-debug', debugToken]] });
    await gateway.call({ path: '/sms/x', headers: [['authorization', key]] });
    const { lines } = gateway.log;
    await until('the last one is logged', () => lines.some(({ status }) => status === 403));
    return lines;
  } finally {
    await fixture.stop();
  }
}

describe('the log of refused requests', () => {
  it('has five lines for each status, the number of the others, and every request with X-Debug', async () => {
    const lines = await refuse();
    const logged = (expected: number) =>
      lines.filter(({ status, msg }) => status === expected && msg === 'request').length;
    expect([400, 401, 403, 404].map(logged)).toEqual([5, 5, 1, 6]);
    const summaries = lines.filter(({ omitted }) => omitted !== undefined);
    const found = summaries.map(({ status, address, omitted }) => [status, address, omitted]);
    expect(found.toSorted()).toEqual([400, 401, 404].map((status) => [status, '127.0.0.1', 15]));
  });
});
