import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { FakeOperations, operationsModule } from '../support/fake-operations.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture } from '../support/gateway-fixture.js';

const requestTimeoutMs = 1_000;

describe('one connection', () => {
  const operations = new FakeOperations();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: operationsModule(operations), requestTimeoutMs });
    ({ key } = await fixture.issueKey({ scopes: ['sms:write'] }));
  });
  afterAll(() => fixture.stop());

  const head = (...lines: string[]): string =>
    ['POST /operations HTTP/1.1', 'Host: x', ...lines].map((line) => `${line}\r\n`).join('') + '\r\n';
  const statuses = (received: string): string[] =>
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  const whole = () =>
    `${head(`Authorization: ${key}`, 'Content-Type: application/json', 'Content-Length: 2')}{}`;

  it.each([
    ['is not HTTP', 'nonsense\r\n\r\n', 200],
    ['never arrives', 'GET / HTTP/1.1\r\nHos', 2_500],
  ])('gives a request in progress its own response if what follows it %s', async (_, next, ms) => {
    operations.behave(async () => {
      await pause(ms);
      return { done: true };
    });
    const received = await gateway.raw(whole() + next);
    expect(statuses(received)).toEqual(['200']);
    expect(received).toContain('{"done":true}');
  });

  it.each([
    ['has invalid chunks', 'Transfer-Encoding: chunked', 'nonsense\r\n'],
    ['never arrives', 'Content-Length: 100', '{'],
  ])(
    'gives one response to a request that was rejected before its body, which %s',
    async (_, length, body) => {
      const received = await gateway.raw(head(length), body);
      expect(statuses(received)).toEqual(['401']);
    },
  );
});

describe('the connections of one address', () => {
  let fixture: GatewayFixture;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
  });
  afterAll(() => fixture.stop());

  /** Opens connections and returns how many of them the gateway closed, and a function that closes the others. */
  async function openConnections(gateway: RunningGateway, count: number) {
    let closed = 0;
    const sockets = Array.from({ length: count }, () => connect(gateway.port, '127.0.0.1'));
    for (const socket of sockets)
      socket
        .on('error', () => undefined)
        .once('close', () => (closed += 1))
        .resume();
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    return { closed: () => closed, close: () => void sockets.map((socket) => socket.destroy()) };
  }

  it.each([
    ['are limited', { MAX_CONNECTIONS_PER_ADDRESS: 3 }],
    ['count towards the limit of the process', { MAX_CONNECTIONS: 3 }],
  ])('%s', async (_, limits) => {
    const gateway = await fixture.gateway({ limits });
    const connections = await openConnections(gateway, 5);
    await until('the others are closed', () => connections.closed() === 2);
    connections.close();
    await until('new ones are accepted', async () => {
      const answer = await gateway.call({ path: '/healthz' }).catch(() => undefined);
      return answer?.status === 200;
    });
  });

  it.each([
    [undefined, 10_000],
    ['10.0.0.0/8', 75_000],
  ])('are closed when they are idle: with the trusted proxies %s after %i ms', async (trustedProxies, ms) => {
    const gateway = await fixture.gateway(trustedProxies === undefined ? {} : { trustedProxies });
    const head = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = connect(gateway.port, '127.0.0.1');
    const received = once(socket, 'data');
    socket.write(head);
    expect(String((await received)[0]).toLowerCase()).toContain(`keep-alive: timeout=${ms / 1_000}`);
    socket.destroy();
  });

  it('may have eight documents in progress', async () => {
    const gateway = await fixture.gateway();
    const ask = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    // A client that reads nothing keeps its responses in progress: they do not fit into its buffers.
    const slow = Array.from({ length: 8 }, () => connect(gateway.port, '127.0.0.1').pause());
    for (const socket of slow) socket.write(ask('/docs/reference.js').repeat(8));
    await until('a ninth is refused', async () => {
      const { status } = await gateway.call({ path: '/openapi.json' });
      return status === 429;
    });
    expect((await gateway.call({ path: '/docs' })).status).toBe(200);
    for (const socket of slow) socket.destroy();
    await until(
      'they have ended',
      async () => (await gateway.call({ path: '/openapi.json' })).status === 200,
    );
  });

  it('are not limited if it is a trusted proxy', async () => {
    const limits = { MAX_CONNECTIONS_PER_ADDRESS: 3 };
    const gateway = await fixture.gateway({ limits, trustedProxies: '127.0.0.1' });
    const connections = await openConnections(gateway, 5);
    expect((await gateway.call({ path: '/healthz' })).status).toBe(200);
    expect(connections.closed()).toBe(0);
    connections.close();
  });
});
