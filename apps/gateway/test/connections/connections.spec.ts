import { setTimeout as pause } from 'node:timers/promises';
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
