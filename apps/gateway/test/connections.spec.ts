import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Chores, choresModule } from './support/chores.js';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture } from './support/gateway-fixture.js';

const requestTimeoutMs = 1_000;

describe('one connection', () => {
  const chores = new Chores();
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway({ module: choresModule(chores), requestTimeoutMs });
    ({ key } = await fixture.issueKey({ scopes: ['sms:write'] }));
  }, 60_000);
  afterAll(() => fixture.stop());

  const head = (...lines: string[]): string =>
    ['POST /chores HTTP/1.1', 'Host: x', ...lines].map((line) => `${line}\r\n`).join('') + '\r\n';
  const statuses = (received: string): string[] =>
    [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  const whole = () =>
    `${head(`Authorization: ${key}`, 'Content-Type: application/json', 'Content-Length: 2')}{}`;

  it.each([
    ['is no HTTP', 'nonsense\r\n\r\n', 200],
    ['never comes', 'GET / HTTP/1.1\r\nHos', 2_500],
  ])(
    'gives a request that is being carried out its own answer when what follows it %s',
    async (_, next, ms) => {
      chores.becomes(async () => {
        await pause(ms);
        return { done: true };
      });
      const received = await gateway.raw(whole() + next);
      expect(statuses(received)).toEqual(['200']);
      expect(received).toContain('{"done":true}');
    },
  );

  it.each([
    ['is cut into wrong pieces', 'Transfer-Encoding: chunked', 'nonsense\r\n'],
    ['never comes', 'Content-Length: 100', '{'],
  ])('gives one answer to a request that was refused before its body, which %s', async (_, length, body) => {
    const received = await gateway.raw(head(length), body);
    expect(statuses(received)).toEqual(['401']);
  });
});
