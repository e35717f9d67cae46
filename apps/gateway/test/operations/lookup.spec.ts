import type { LookupPhoneRequest, LookupReply, PhoneLookup } from '@gangan/contracts';
import { AppError } from '@gangan/protocol';
import { isFullSuite, until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import type { Call } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { type IssuedKey, GatewayFixture } from '../support/gateway-fixture.js';

const found = {
  msisdn: '2348031234567',
  operator: 'MTN',
  country: 'NG',
  ported: false,
  dnd: false,
};
const fromProvider = { operator: 'live', country: 'plan', ported: 'live', dnd: 'cache' } as const;
const json: readonly [string, string] = ['content-type', 'application/json'];

describe('GET /lookup/phone', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let issued: IssuedKey;
  let answer: (request: LookupPhoneRequest) => PhoneLookup | undefined | Promise<PhoneLookup>;
  let answerLive: (request: LookupPhoneRequest) => LookupReply | Promise<LookupReply>;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
    issued = await fixture.issueKey();
    await fixture.answerLookups(
      (request) => answer(request),
      (request) => answerLive(request),
    );
  });
  afterAll(() => fixture.stop());
  beforeEach(() => {
    answer = () => found;
    answerLive = () => ({ found, sources: fromProvider });
    fixture.asked.length = 0;
    fixture.askedLive.length = 0;
  });

  const ask = (request: Call = {}) =>
    gateway.call({
      path: '/lookup/phone?phone=08031234567',
      ...request,
      headers: [['authorization', issued.key], ...(request.headers ?? [])],
    });

  it.each<[why: string, request: Call, phone: string]>([
    [
      'a JSON body',
      { path: '/lookup/phone', headers: [json], body: '{"phone":"08031234567"}' },
      '08031234567',
    ],
    [
      'a trailing slash',
      { path: '/lookup/phone/', headers: [json], body: '{"phone":"08031234567"}' },
      '08031234567',
    ],
    ['a query', { path: '/lookup/phone?phone=%2B2348031234567' }, '+2348031234567'],
    ['a query whose plus became a space', { path: '/lookup/phone?phone=+2348031234567' }, '+2348031234567'],
    ['a JSON content type without a body', { headers: [json] }, '08031234567'],
    ['body and query that agree', { headers: [json], body: '{"phone":"08031234567"}' }, '08031234567'],
    ['null in the body and a query', { headers: [json], body: '{"phone":null}' }, '08031234567'],
    [
      'unknown fields',
      { path: '/lookup/phone?x=1', headers: [json], body: '{"phone":"08031234567","y":{"z":1}}' },
      '08031234567',
    ],
  ])('accepts %s', async (_, request, phone) => {
    const { status, json: body, headers } = await ask(request);
    expect([status, body]).toEqual([200, found]);
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'x-lookup-source': 'operator=plan, country=plan, ported=registry, dnd=registry',
    });
    // Unknown fields are not passed on.
    expect(fixture.asked).toEqual([{ phone }]);
  });

  it('asks for a live lookup if needed, for the same caller, and returns the sources', async () => {
    answer = () => undefined;
    const { status, json: body, headers } = await ask();
    expect([status, body]).toEqual([200, found]);
    expect(headers['x-lookup-source']).toBe('operator=live, country=plan, ported=live, dnd=cache');
    expect(fixture.askedLive).toEqual([{ phone: '08031234567' }]);
    answerLive = () => ({ found, sources: fromProvider, providerSilent: true });
    expect((await ask()).headers['x-lookup-source']).toMatch(/, live=unavailable$/);
    answerLive = () => {
      throw new AppError('insufficient_balance', 402, 'Too poor');
    };
    expectError(await ask(), 402);
  });

  it('shares one live lookup between concurrent requests', async () => {
    answer = () => undefined;
    const all = { found, sources: fromProvider };
    // The first request is answered when all have arrived.
    answerLive = async () => {
      await until('50 lookups are in flight', () => fixture.asked.length === 50);
      return all;
    };
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask()));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(50).fill(200));
    // A few may have arrived just after the first was answered.
    expect(fixture.askedLive.length).toBeLessThan(25);
  });

  it('accepts a body in chunks', async () => {
    const head = [
      'GET /lookup/phone HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: ${issued.key}`,
      json.join(': '),
      'Transfer-Encoding: chunked',
    ];
    const received = await gateway.raw(
      `${head.join('\r\n')}\r\n\r\n17\r\n{"phone":"08031234567"}\r\n0\r\n\r\n`,
    );
    expect(received).toContain('HTTP/1.1 200 OK');
    expect(fixture.asked).toEqual([{ phone: '08031234567' }]);
  });

  it('responds to HEAD without a body and without a charged lookup', async () => {
    expect(await ask({ method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect(await ask({ method: 'HEAD', path: '/lookup/phone?phone=112' })).toMatchObject({ status: 400 });
    expect([...fixture.asked, ...fixture.askedLive]).toEqual([]);
  });

  it('returns the caller’s request id, or a new one', async () => {
    const given = await ask({ headers: [['x-request-id', 'order-17']] });
    const made = await ask();
    const odd = await ask({ headers: [['x-request-id', 'a b']] });
    expect(given.headers['x-request-id']).toBe('order-17');
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(odd.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('logs one line per request, without number, key or path', async () => {
    const { headers } = await ask();
    await until('the request is logged', () => gateway.log.requests(headers['x-request-id']).length === 1);
    expect(gateway.log.requests(headers['x-request-id'])).toEqual([
      expect.objectContaining({
        level: 'info',
        method: 'GET',
        route: '/lookup/phone',
        status: 200,
        organisationId: issued.organisationId,
        apiKeyId: issued.id,
      }),
    ]);
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/8031234567|sk_test_/);
  });

  it('returns the error of the worker', async () => {
    answer = () => {
      throw new AppError('too_many', 429, 'Slower, please', {
        retryAfter: 7,
        fields: [{ field: 'phone', message: 'again?', type: 'rate_limited' }],
      });
    };
    const refused = await ask();
    expect(expectError(refused, 429)).toEqual(['phone rate_limited']);
    expect(refused.headers['retry-after']).toBe('7');
  });

  it('does not show an unexpected error of the worker', async () => {
    answer = () => {
      throw new Error('password is hunter2');
    };
    const failed = await ask();
    expectError(failed, 500);
    expect(failed.text).not.toContain('hunter2');
    expect(failed.text).toContain(failed.headers['x-request-id']);
  });

  // It takes as long as the deadline of a lookup.
  if (isFullSuite)
    it('responds outcome_unknown if no reply arrives in time', async () => {
      answer = () => new Promise((resolve) => setTimeout(resolve, 6_000, found).unref());
      const late = await ask();
      expect(expectError(late, 503)).toEqual(['service outcome_unknown']);
      expect(late.text).not.toMatch(/Idempotency-Key|creates/);
      expect(late.headers['retry-after']).toBe('1');
    });

  it('gives each concurrent caller their own response', async () => {
    answer = ({ phone }) => ({ ...found, msisdn: phone });
    const numbers = Array.from({ length: 200 }, (_, index) => `0803${String(1_000_000 + index)}`);
    const answers = await Promise.all(numbers.map((phone) => ask({ path: `/lookup/phone?phone=${phone}` })));
    expect(answers.map(({ json: body }) => (body as PhoneLookup).msisdn)).toEqual(numbers);
  });

  it('responds 503 while database and queue are unavailable, and recovers', async () => {
    await fixture.postgres.kill();
    try {
      for (let round = 0; round < 3; round += 1) {
        const away = await ask();
        expectError(away, 503);
        expect(away.headers['retry-after']).toBe('1');
      }
    } finally {
      await fixture.postgres.restart();
    }
    await until('the lookup succeeds', async () => (await ask()).status === 200);
  });
});
