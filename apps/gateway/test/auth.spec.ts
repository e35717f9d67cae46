import { newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiKeyRepository } from '../src/auth/api-key.repository.js';
import { NegativeCache } from '../src/negative-cache.js';
import { expectError } from './support/error-shape.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture, keyCache } from './support/gateway-fixture.js';

/** A route that responds 400 to a valid key, without a worker. */
const reachable = '/lookup/phone';
const past = new Date(Date.now() - 60_000);
const future = new Date(Date.now() + 3_600_000);

const shortCache = { replaced: [keyCache(300)] };

describe('authentication', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway(shortCache);
  });
  afterAll(() => fixture.stop());

  const send = (...values: string[]): Promise<Answer> =>
    gateway.call({ path: reachable, headers: values.map((value) => ['authorization', value]) });
  const isAccepted = async (key: string) => (await send(key)).status === 400;
  const update = (key: { id: string }, data: object) =>
    fixture.database.apiKey.update({ where: { id: key.id }, data });

  it('accepts a valid key alone', async () => {
    const { key, id } = await fixture.issueKey({ expiresAt: future, revokedAt: future });
    expect(expectError(await send(key), 400)).toEqual(['phone missing']);
    await until(
      'last_used_at is written',
      async () => (await fixture.database.apiKey.findUnique({ where: { id } }))?.lastUsedAt != null,
    );
  });

  it('gives the same response to every invalid key', async () => {
    const { key } = await fixture.issueKey();
    const revoked = await fixture.issueKey({ revokedAt: past });
    const expired = await fixture.issueKey({ expiresAt: past });
    const answers = [
      await send(),
      await send(''),
      await send(' '),
      await send(`Bearer ${key}`),
      await send(`bearer ${key}`),
      await send(`Basic ${key}`),
      await send(key, key),
      await send(key, 'Bearer x'),
      await send('sk_test_unknown'),
      await send(key.toUpperCase()),
      await send(key.slice(0, -1)),
      await send(`${key}x`),
      await send(newId()),
      await send('x'.repeat(10_000)),
      await send(revoked.key),
      await send(expired.key),
      await gateway.call({ path: `${reachable}?authorization=${key}`, headers: [['x-api-key', key]] }),
    ];
    for (const answer of answers) expectError(answer, 401);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('accepts keys that replace each other in a circle', async () => {
    const [first, second] = [await fixture.issueKey(), await fixture.issueKey()];
    await update(first, { replacedBy: second.id });
    await update(second, { replacedBy: first.id });
    expect(await isAccepted(first.key)).toBe(true);
    expect(await isAccepted(second.key)).toBe(true);
  });

  it('checks the key before it reads the body', async () => {
    const answer = await gateway.call({
      path: reachable,
      headers: [['content-type', 'text/plain']],
      body: 'x'.repeat(100_000),
    });
    expectError(answer, 401);
  });

  it('rejects a key without the scope', async () => {
    for (const scopes of [[], ['lookup:write'], ['sms:read', 'otp:write']]) {
      const { key } = await fixture.issueKey({ scopes });
      expectError(await send(key), 403);
    }
  });

  it('rejects a key while the organisation or its account is suspended', async () => {
    expectError(await send((await fixture.issueKey({ organisation: 'suspended' })).key), 403);
    expectError(await send((await fixture.issueKey({ account: 'suspended' })).key), 403);
  });

  it('rejects a key from an address outside its networks, and uses no token of the rate limit', async () => {
    const { key } = await fixture.issueKey({ allowedNetworks: ['192.0.2.0/24', '2001:db8::/32'] });
    const answer = await send(key);
    expect(expectError(answer, 403)).toEqual(['authorization address_not_allowed']);
    expect(answer.headers).not.toHaveProperty('ratelimit-remaining');
    const misspelt = await gateway.call({ path: '/lookup/phon', headers: [['authorization', key]] });
    expect(expectError(misspelt, 404)).toEqual([]);
    expect(misspelt.text).not.toContain('did you mean');
    expect(misspelt.headers).not.toHaveProperty('ratelimit-remaining');
    expect(await isAccepted((await fixture.issueKey({ allowedNetworks: ['127.0.0.0/8'] })).key)).toBe(true);
    expect(await isAccepted((await fixture.issueKey({ allowedNetworks: ['::1', '127.0.0.1'] })).key)).toBe(
      true,
    );
    expectError(await send((await fixture.issueKey({ allowedNetworks: ['unreadable'] })).key), 403);
  });

  it('ignores headers in which a caller states its address', async () => {
    const { key } = await fixture.issueKey({ allowedNetworks: ['192.0.2.7'] });
    for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
      const headers = [['authorization', key] as const, [header, '192.0.2.7'] as const];
      expectError(await gateway.call({ path: reachable, headers }), 403);
    }
  });

  it('notices a change of the networks soon', async () => {
    const issued = await fixture.issueKey();
    expect(await isAccepted(issued.key)).toBe(true);
    await update(issued, { allowedNetworks: ['192.0.2.0/24'] });
    await until('the key is refused', async () => (await send(issued.key)).status === 403);
    await update(issued, { allowedNetworks: [] });
    await until('the key is accepted', () => isAccepted(issued.key));
  });

  it('rejects a key soon after it is revoked, expires, or its organisation is suspended, on every gateway', async () => {
    const second = await fixture.gateway(shortCache);
    const keys = [await fixture.issueKey(), await fixture.issueKey(), await fixture.issueKey()] as const;
    const statuses = async () =>
      Promise.all(
        [gateway, second].flatMap((each) =>
          keys.map(
            async ({ key }) =>
              (await each.call({ path: reachable, headers: [['authorization', key]] })).status,
          ),
        ),
      );
    expect(await statuses()).toEqual([400, 400, 400, 400, 400, 400]);
    await update(keys[0], { revokedAt: new Date() });
    await update(keys[1], { expiresAt: new Date() });
    await fixture.database.organisation.update({
      where: { id: keys[2].organisationId },
      data: { status: 'suspended' },
    });
    await until(
      'all gateways refuse the keys',
      async () => (await statuses()).join() === '401,401,403,401,401,403',
    );
  });

  it('caches a key for less than the 5 s within which a revocation must take effect', async () => {
    expect((await fixture.gateway()).part(NegativeCache).ttlMs).toBeLessThan(5_000);
  });

  it('accepts a key soon after it becomes valid', async () => {
    const issued = await fixture.issueKey({ revokedAt: past });
    expectError(await send(issued.key), 401);
    await update(issued, { revokedAt: null });
    await until('the key is accepted', () => isAccepted(issued.key));
  });

  it('queries the database once for many requests with one key', async () => {
    const caching = await fixture.gateway({ replaced: [keyCache(3_600_000)] });
    const queried = jest.spyOn(caching.part(ApiKeyRepository), 'findActive');
    const { key } = await fixture.issueKey();
    const sendOnce = async () =>
      (await caching.call({ path: reachable, headers: [['authorization', key]] })).status;
    const statuses = await Promise.all(Array.from({ length: 100 }, sendOnce));
    expect(new Set([...statuses, await sendOnce()])).toEqual(new Set([400]));
    expect(queried).toHaveBeenCalledTimes(1);
  });

  it('rejects every request while the database is unavailable', async () => {
    const { key } = await fixture.issueKey();
    await fixture.postgres.kill();
    try {
      const answer = await send(key);
      expectError(answer, 503);
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      await fixture.postgres.restart();
    }
    await until('the key is accepted', () => isAccepted(key));
  });

  it('never logs a key', () => {
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/sk_test_/);
  });
});
