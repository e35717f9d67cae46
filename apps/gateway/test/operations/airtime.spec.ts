import { setTimeout as pause } from 'node:timers/promises';
import { setLimits } from '@gangan/database';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectError } from '../support/error-shape.js';
import type { Answer } from '../support/http.js';
import type { RunningGateway } from '../support/running-gateway.js';
import { GatewayFixture, keyCache } from '../support/gateway-fixture.js';

const good = { network: 'MTN', amount: 100, recipient: '08031234567' };

/** What is refused before any worker hears of it. */
describe('airtime at the gateway', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  let key: string;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
    ({ key } = await fixture.issueKey({ scopes: ['airtime:read', 'airtime:write'] }));
  });
  afterAll(() => fixture.stop());

  const send = (body: string): Promise<Answer> =>
    gateway.call({
      method: 'POST',
      path: '/airtime/buy',
      headers: [
        ['authorization', key],
        ['content-type', 'application/json'],
      ],
      body,
    });
  const buy = (fields: object): Promise<Answer> => send(JSON.stringify({ ...good, ...fields }));
  const get = (path: string, as = key): Promise<Answer> =>
    gateway.call({ path, headers: [['authorization', as]] });

  it('lets a new key buy only after the cooling period of its organisation', async () => {
    const scopes = ['airtime:read', 'airtime:write'] as const;
    const fresh = await fixture.issueKey({ scopes });
    const uncached = await fixture.gateway({ replaced: [keyCache(1)] });
    // An empty body is refused after the key is accepted.
    const call = async (method: string, path: string): Promise<Answer> => {
      await pause(2);
      return uncached.call({
        method,
        path,
        headers: [
          ['authorization', fresh.key],
          ['content-type', 'application/json'],
        ],
        ...(method === 'POST' && { body: '{}' }),
      });
    };
    expect((await call('POST', '/airtime/buy')).status).toBe(400);
    await setLimits(fixture.database, fresh.organisationId, { airtimeKeyCoolingHours: 24 });
    expect(expectError(await call('POST', '/airtime/buy'), 403)).toEqual(['authorization key_too_new']);
    expect((await call('GET', '/airtime/networks')).status).toBe(200);
    await fixture.database.apiKey.update({
      where: { id: fresh.id },
      data: { createdAt: new Date(Date.now() - 24 * 3_600_000 - 1_000) },
    });
    expect((await call('POST', '/airtime/buy')).status).toBe(400);
  });

  it.each<[fields: object, fault: string]>([
    [{ network: 'mtn' }, 'network enum'],
    [{ network: null }, 'network missing'],
    [{ network: ['MTN'] }, 'network string_type'],
    [{ amount: 0 }, 'amount greater_than_equal'],
    [{ amount: -1 }, 'amount greater_than_equal'],
    [{ amount: 0.001 }, 'amount greater_than_equal'],
    [{ amount: 10.001 }, 'amount value_error'],
    [{ amount: '100' }, 'amount number_type'],
    [{ amount: 2 ** 60 }, 'amount less_than_equal'],
    [{ amount: 100_000.01 }, 'amount less_than_equal'],
    [{ amount: 0.99 }, 'amount greater_than_equal'],
    [{ recipient: 'nobody' }, 'recipient phone'],
    [{ recipient: '+447911123456' }, 'recipient phone'],
    [{ recipient: '08031234567;ext=1' }, 'recipient phone'],
    [{ callback: 'http://127.0.0.1/' }, 'callback url'],
    [{ callback: 'https://user:pass@example.com/' }, 'callback url'],
    [{ external_ref: 'x'.repeat(256) }, 'external_ref string_too_long'],
  ])('refuses %j', async (fields, fault) => {
    expect(expectError(await buy(fields), 400)).toEqual([fault]);
  });

  it('refuses an amount that no number can hold', async () => {
    const answer = await send('{"network":"MTN","recipient":"08031234567","amount":1e309}');
    expect(expectError(answer, 400)).toEqual(['amount less_than_equal']);
  });

  it.each(['{}', '{"network":null,"amount":null,"recipient":null}'])(
    'lists all missing fields of %s',
    async (body) => {
      expect(expectError(await send(body), 400)).toEqual([
        'network missing',
        'amount missing',
        'recipient missing',
      ]);
    },
  );

  it('returns the bounds of each network, and checks purchases against them', async () => {
    const bounded = await fixture.gateway({ limits: { AIRTIME_BOUNDS: '10-5000,MTN=50-20000' } });
    const headers: [string, string][] = [
      ['authorization', key],
      ['content-type', 'application/json'],
    ];
    const { status, json } = await bounded.call({ path: '/airtime/networks', headers });
    expect([status, json]).toEqual([
      200,
      [
        { name: 'Airtel', minimum_amount: 10, maximum_amount: 5_000 },
        { name: 'MTN', minimum_amount: 50, maximum_amount: 20_000 },
        { name: 'Glo', minimum_amount: 10, maximum_amount: 5_000 },
        { name: '9mobile', minimum_amount: 10, maximum_amount: 5_000 },
        { name: 'NTEL', minimum_amount: 10, maximum_amount: 5_000 },
      ],
    ]);
    const body = JSON.stringify({ ...good, amount: 49.99 });
    const refused = await bounded.call({ method: 'POST', path: '/airtime/buy', headers, body });
    expect(expectError(refused, 400)).toEqual(['amount greater_than_equal']);
    expect(refused.text).toContain('at least 50 naira');
  });

  it.each([
    ['limit=0', 'limit greater_than_equal'],
    ['limit=101', 'limit less_than_equal'],
    ['limit=many', 'limit integer_type'],
    ['before=x', 'before value_error'],
    ['status=done', 'status enum'],
    ['since=yesterday', 'since date'],
    ['until=2026-02-30', 'until date'],
  ])('rejects the list with ?%s', async (query, fault) => {
    expect(expectError(await get(`/airtime?${query}`), 400)).toEqual([fault]);
  });

  it.each([
    ['limit=0', 'limit greater_than_equal'],
    ['limit=101', 'limit less_than_equal'],
    ['after=x', 'after value_error'],
    ['network=mtn', 'network enum'],
    ['network=', 'network enum'],
  ])('rejects the list of products with ?%s', async (query, fault) => {
    expect(expectError(await get(`/airtime/products?${query}`), 400)).toEqual([fault]);
  });

  it('requires the scope', async () => {
    const { key: reader } = await fixture.issueKey({ scopes: ['airtime:read'] });
    const { key: stranger } = await fixture.issueKey({ scopes: ['lookup:read'] });
    const refused = await gateway.call({
      method: 'POST',
      path: '/airtime/buy',
      headers: [['authorization', reader]],
    });
    expectError(refused, 403);
    expectError(await get('/airtime', stranger), 403);
    expectError(await gateway.call({ path: '/airtime/networks' }), 401);
    expectError(await get('/airtime/products', stranger), 403);
    expect((await get('/airtime/networks', reader)).status).toBe(200);
  });

  it('rejects other methods', async () => {
    expectError(
      await gateway.call({ method: 'DELETE', path: '/airtime/buy', headers: [['authorization', key]] }),
      405,
    );
  });
});
