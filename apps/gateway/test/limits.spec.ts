import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { AppError, notFound } from '@gangan/protocol';
import { HealthController } from '../src/health/health.controller.js';
import { Scope } from '../src/http/routes/access.js';
import { requestModules } from './support/request-modules.js';
import { expectError } from './support/error-shape.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { type IssuedKey, GatewayFixture } from './support/gateway-fixture.js';

/** Responses of every kind, without a worker. */
@Controller()
class StationController {
  static waiting: (() => void)[] = [];

  @Get('fine')
  @Scope('sms:read')
  fine(): object {
    return {};
  }

  @Get('bad')
  @Scope('sms:read')
  bad(): never {
    throw new AppError('bad', 400, 'No');
  }

  @Get('missing')
  @Scope('sms:read')
  missing(): never {
    throw notFound('It');
  }

  @Get('forbidden')
  @Scope('otp:read')
  forbidden(): object {
    return {};
  }

  @Get('held')
  @Scope('sms:read')
  held(): Promise<object> {
    return new Promise((resolve) => {
      StationController.waiting.push(() => {
        resolve({});
      });
    });
  }

  @Post('large')
  @Scope('sms:read', { bodyLimit: 1_048_576 })
  large(): object {
    return {};
  }

  @Get('blocking')
  @Scope('sms:read')
  blocking(): object {
    const end = performance.now() + 60;
    while (performance.now() < end);
    return {};
  }
}

@Module({ imports: requestModules, controllers: [StationController, HealthController] })
class StationModule {}

const slowly = { RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 4 };

let fixture: GatewayFixture;
beforeAll(async () => {
  fixture = await GatewayFixture.create();
});
afterAll(() => fixture.stop());

const start = (limits: object): Promise<RunningGateway> => fixture.gateway({ module: StationModule, limits });
const issue = (): Promise<IssuedKey> => fixture.issueKey({ scopes: ['sms:read'] });
const get = (gateway: RunningGateway, path: string, { key }: { key: string }): Promise<Answer> =>
  gateway.call({ path, headers: [['authorization', key]] });
const setLimits = (key: IssuedKey, data: { requestsPerSecond?: number; requestBurst?: number }) =>
  fixture.database.organisation.update({ where: { id: key.organisationId }, data });

describe('rate limits', () => {
  it('are in the headers of every response to a valid key', async () => {
    const gateway = await start(slowly);
    const key = await issue();
    for (const [path, status] of [
      ['/fine', 200],
      ['/bad', 400],
      ['/missing', 404],
      ['/forbidden', 403],
    ] as const) {
      const { status: got, headers } = await get(gateway, path, key);
      expect(got).toBe(status);
      expect(headers).toMatchObject({
        'ratelimit-limit': '4',
        'ratelimit-remaining': expect.stringMatching(/^[0-3]$/),
        'ratelimit-reset': expect.stringMatching(/^[1-4]$/),
      });
    }
    expect((await gateway.call({ path: '/healthz' })).headers).not.toHaveProperty('ratelimit-limit');
    expect((await get(gateway, '/fine', { key: 'sk_test_x' })).headers).not.toHaveProperty('ratelimit-limit');
  });

  it('respond 429 with the limit and Retry-After', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 3 });
    const key = await issue();
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(gateway, '/fine', key)));
    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect(passed.length + refused.length).toBe(40);
    expect(passed.length).toBeGreaterThanOrEqual(3);
    expect(passed.length).toBeLessThanOrEqual(3 + (performance.now() - startedAt) / 1_000);
    for (const answer of refused) {
      expect(expectError(answer, 429)).toEqual(['organisation rate_limited']);
      expect(answer.text).toContain('This organisation may send 1 requests per second, in bursts of up to 3');
      expect(answer.headers).toMatchObject({
        'retry-after': '1',
        'ratelimit-limit': '3',
        'ratelimit-remaining': '0',
        'ratelimit-reset': expect.stringMatching(/^[23]$/),
      });
    }
    expect(gateway.log.requests(refused[0]?.headers['x-request-id'])).toMatchObject([
      { status: 429, apiKeyId: key.id },
    ]);
  });

  it('count a request to a misspelt path, which gets no suggestion once they are used up', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 3 });
    const [key, unused] = [await issue(), await issue()];
    const startedAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(gateway, '/forbiden', key)));
    const suggested = answers.filter(({ text }) => text.includes('did you mean /forbidden?'));
    expect(suggested.length).toBeGreaterThanOrEqual(3);
    expect(suggested.length).toBeLessThanOrEqual(3 + (performance.now() - startedAt) / 1_000);
    for (const answer of answers) {
      expect(expectError(answer, 404)).toEqual([]);
      expect(answer.headers).toMatchObject({ 'ratelimit-limit': '3' });
    }
    const mistaken = await get(gateway, '/forbiden', unused);
    expect(mistaken.headers).toMatchObject({ 'ratelimit-remaining': '2' });
    // Without a valid key.
    const other = await gateway.call({ path: '/forbiden', headers: [['authorization', 'sk_test_x']] });
    expect(other.headers).not.toHaveProperty('ratelimit-limit');
  });

  it('count a large body as several requests, and do not read it once they are used up', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 24 });
    const key = await issue();
    const body = JSON.stringify({ text: 'x'.repeat(1_048_576 - 100) });
    const headers = [
      ['authorization', key.key],
      ['content-type', 'application/json'],
    ] as const;
    const first = await gateway.call({ method: 'POST', path: '/large', headers, body });
    expect(first.status).toBe(200);
    expect(Number(first.headers['ratelimit-remaining'])).toBeLessThan(16);
    // Of the second only the announcement arrives: the response does not wait for the body.
    const lines = [...headers, ['host', 'localhost'], ['content-length', String(body.length)]];
    const second = await gateway.raw(
      `POST /large HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    expect(second).toMatch(/^HTTP\/1\.1 429 .*\r\nconnection: close\r\n/s);
    expect(second).toMatch(/\r\nratelimit-remaining: 0\r\n/);
    expect(Number(/\r\nretry-after: (\d+)/.exec(second)?.[1])).toBeGreaterThan(1);
  });

  it('keep the connection if a refused body is short', async () => {
    const gateway = await start({ RATE_LIMIT_PER_SECOND: 0.001, RATE_LIMIT_BURST: 1 });
    const key = await issue();
    expect((await get(gateway, '/fine', key)).status).toBe(200);
    const head = (lines: readonly string[]): string =>
      ['POST /large HTTP/1.1', 'host: localhost', `authorization: ${key.key}`, ...lines, '', ''].join('\r\n');
    const length = 200 * 1_024;
    const request = head([`content-length: ${length}`]) + ' '.repeat(length);
    const last = head(['content-length: 0', 'connection: close']);
    const received = await gateway.raw(request + request + last);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(Array.from({ length: 3 }, () => 'HTTP/1.1 429'));
  });

  it('apply to all gateways and all keys of an organisation together, not to others', async () => {
    const limits = { RATE_LIMIT_PER_SECOND: 1, RATE_LIMIT_BURST: 10 };
    const gateways = [await start(limits), await start(limits)];
    const [first, stranger] = [await issue(), await issue()];
    const second = await issue();
    await fixture.database.apiKey.update({
      where: { id: second.id },
      data: { organisationId: first.organisationId },
    });
    const startedAt = performance.now();
    const answers = await Promise.all(
      [first, second].flatMap((key) =>
        gateways.flatMap((gateway) => Array.from({ length: 10 }, () => get(gateway, '/fine', key))),
      ),
    );
    const passed = answers.filter(({ status }) => status === 200).length;
    expect(passed).toBeLessThanOrEqual(10 + (performance.now() - startedAt) / 1_000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
    for (const gateway of gateways) expect((await get(gateway, '/fine', stranger)).status).toBe(200);
  });

  it('can be set for an organisation, and 0 disables them', async () => {
    const gateway = await start(slowly);
    const [own, free] = [await issue(), await issue()];
    await setLimits(own, { requestsPerSecond: 7, requestBurst: 30 });
    await setLimits(free, { requestsPerSecond: 0 });
    expect((await get(gateway, '/fine', own)).headers).toMatchObject({ 'ratelimit-limit': '30' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(gateway, '/fine', free)));
    for (const { status, headers } of answers) {
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty('ratelimit-limit');
    }
  });

  it('leave a share to the other keys of an organisation if RATE_LIMIT_KEY_PERCENT is below 100', async () => {
    const gateway = await start({
      RATE_LIMIT_PER_SECOND: 1,
      RATE_LIMIT_BURST: 100,
      RATE_LIMIT_KEY_PERCENT: 20,
    });
    const [greedy, modest] = [await issue(), await issue()];
    await fixture.database.apiKey.update({
      where: { id: modest.id },
      data: { organisationId: greedy.organisationId },
    });
    const answers = await Promise.all(Array.from({ length: 60 }, () => get(gateway, '/fine', greedy)));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(expectError(answer, 429)).toEqual(['key rate_limited']);
      expect(answer.headers).toMatchObject({ 'ratelimit-limit': '20' });
    }
    expect((await get(gateway, '/fine', modest)).status).toBe(200);
  });
});

describe('an overloaded gateway', () => {
  const release = (): void => {
    for (const answer of StationController.waiting.splice(0)) answer();
  };

  afterEach(release);

  it('rejects further requests, with any key, but never health checks', async () => {
    const gateway = await start({ MAX_REQUESTS_IN_PROGRESS: 3 });
    const key = await issue();
    await get(gateway, '/fine', key);
    const held = [1, 2, 3].map(() => get(gateway, '/held', key));
    await until('three requests are in flight', () => StationController.waiting.length === 3);
    for (const answer of [
      await get(gateway, '/fine', key),
      await get(gateway, '/fine', { key: 'sk_test_unknown' }),
      await gateway.call({ path: '/nowhere' }),
    ]) {
      expect(expectError(answer, 503)).toEqual(['service overloaded']);
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await gateway.call({ path: '/healthz' })).status).toBe(200);
    expect((await gateway.call({ path: '/readyz' })).text).not.toContain('overloaded');
    release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await until('a request is accepted', async () => (await get(gateway, '/fine', key)).status === 200);
  });

  it('first rejects requests without a key, and looks few other keys up', async () => {
    const gateway = await start({ MAX_REQUESTS_IN_PROGRESS: 4 });
    const [key, unused] = [await issue(), await issue()];
    const held = [1, 2].map(() => get(gateway, '/held', key));
    await until('two requests are in flight', () => StationController.waiting.length === 2);
    for (const path of ['/', '/nowhere', '/fine']) expect((await gateway.call({ path })).status).toBe(503);
    expect((await get(gateway, '/', unused)).status).toBe(503);
    const wrongChecksum = { key: `sk_test_${'a'.repeat(43)}00000000` };
    expect((await get(gateway, '/fine', wrongChecksum)).status).toBe(503);
    expect((await get(gateway, '/fine', unused)).status).toBe(200);
    expect((await get(gateway, '/fine', key)).status).toBe(200);
    expect((await get(gateway, '/nowhere', key)).status).toBe(404);
    release();
    await Promise.all(held);
    await until('a request is accepted', async () => (await gateway.call({ path: '/' })).status !== 503);
  });

  it('rejects requests of an organisation that has too many in progress, with any of its keys, but not of others', async () => {
    const gateway = await start({ MAX_REQUESTS_IN_PROGRESS_PER_ORGANISATION: 2 });
    const [key, sibling, stranger] = [await issue(), await issue(), await issue()];
    const { organisationId } = key;
    await fixture.database.apiKey.update({ where: { id: sibling.id }, data: { organisationId } });
    const held = [key, sibling].map((each) => get(gateway, '/held', each));
    await until('two requests are in flight', () => StationController.waiting.length === 2);
    for (const each of [key, sibling]) {
      const answer = await get(gateway, '/fine', each);
      expect(expectError(answer, 429)).toEqual(['organisation rate_limited']);
      expect(answer.text).toContain('This organisation may have 2 requests in progress at a time');
      expect(answer.headers['retry-after']).toBe('1');
    }
    expect((await get(gateway, '/fine', stranger)).status).toBe(200);
    release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
    await until('a request is accepted', async () => (await get(gateway, '/fine', key)).status === 200);
  });

  it('accepts requests again when callers disconnect', async () => {
    const gateway = await start({ MAX_REQUESTS_IN_PROGRESS: 1 });
    const key = await issue();
    const leaving = new AbortController();
    const left = fetch(`http://127.0.0.1:${gateway.port}/held`, {
      headers: { authorization: key.key },
      signal: leaving.signal,
    }).catch(() => 'left');
    await until('one request is in flight', () => StationController.waiting.length === 1);
    expect((await get(gateway, '/fine', key)).status).toBe(503);
    leaving.abort();
    expect(await left).toBe('left');
    await until('a request is accepted', async () => (await get(gateway, '/fine', key)).status === 200);
  });

  it('rejects requests while its event loop lags, and accepts them afterwards', async () => {
    const gateway = await start({ MAX_EVENT_LOOP_DELAY_MS: 25 });
    const key = await issue();
    await until('the gateway refuses requests', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => get(gateway, '/blocking', key)));
      return answers.some(({ status }) => status === 503);
    });
    expect((await gateway.call({ path: '/healthz' })).status).toBe(200);
    await until('a request is accepted', async () => (await get(gateway, '/fine', key)).status === 200);
  });
});
