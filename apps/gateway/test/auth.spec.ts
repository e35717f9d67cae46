import { newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { Authenticator } from '../src/auth/authenticator.js';
import { type ActiveKey, ApiKeyRepository } from '../src/auth/api-key.repository.js';
import { HttpModule } from '../src/http/http.module.js';
import { IdempotencyModule } from '../src/idempotency/idempotency.module.js';
import { LimitsModule } from '../src/limits/limits.module.js';
import { LookupModule } from '../src/lookup/lookup.module.js';
import { LookupCache } from '../src/lookup-cache.js';
import { expectError } from './support/error-shape.js';
import type { Answer } from './support/http.js';
import type { RunningGateway } from './support/running-gateway.js';
import { GatewayFixture } from './support/gateway-fixture.js';

/** A route that a good key reaches, and that answers without a worker. */
const reachable = '/lookup/phone';
const past = new Date(Date.now() - 60_000);
const future = new Date(Date.now() + 3_600_000);

/** Forgets nothing, so that it does not matter how long a test takes. */
@Module({
  imports: [HttpModule, IdempotencyModule, LimitsModule, LookupModule],
  providers: [
    Authenticator,
    ApiKeyRepository,
    { provide: LookupCache, useFactory: () => new LookupCache<ActiveKey>(3_600_000, 10) },
  ],
})
class RememberingModule {}

describe('the door', () => {
  let fixture: GatewayFixture;
  let gateway: RunningGateway;
  beforeAll(async () => {
    fixture = await GatewayFixture.create();
    gateway = await fixture.gateway();
  }, 60_000);
  afterAll(() => fixture.stop());

  const knock = (...values: string[]): Promise<Answer> =>
    gateway.call({ path: reachable, headers: values.map((value) => ['authorization', value]) });
  const isOpenTo = async (key: string) => (await knock(key)).status === 400;
  const update = (key: { id: string }, data: object) =>
    fixture.database.apiKey.update({ where: { id: key.id }, data });

  it('opens to a key alone', async () => {
    const { key, id } = await fixture.issueKey({ expiresAt: future, revokedAt: future });
    expect(expectError(await knock(key), 400)).toEqual(['phone missing']);
    await until(
      'last_used_at is written',
      async () => (await fixture.database.apiKey.findUnique({ where: { id } }))?.lastUsedAt != null,
    );
  });

  it('gives one and the same answer to everything else', async () => {
    const { key } = await fixture.issueKey();
    const revoked = await fixture.issueKey({ revokedAt: past });
    const expired = await fixture.issueKey({ expiresAt: past });
    const answers = [
      await knock(),
      await knock(''),
      await knock(' '),
      await knock(`Bearer ${key}`),
      await knock(`bearer ${key}`),
      await knock(`Basic ${key}`),
      await knock(key, key),
      await knock(key, 'Bearer x'),
      await knock('sk_test_unknown'),
      await knock(key.toUpperCase()),
      await knock(key.slice(0, -1)),
      await knock(`${key}x`),
      await knock(newId()),
      await knock('x'.repeat(10_000)),
      await knock(revoked.key),
      await knock(expired.key),
      await gateway.call({ path: `${reachable}?authorization=${key}`, headers: [['x-api-key', key]] }),
    ];
    for (const answer of answers) expectError(answer, 401);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('asks for the key before it reads the body', async () => {
    const answer = await gateway.call({
      path: reachable,
      headers: [['content-type', 'text/plain']],
      body: 'x'.repeat(100_000),
    });
    expectError(answer, 401);
  });

  it('stays closed to a key without the scope', async () => {
    for (const scopes of [[], ['lookup:write'], ['sms:read', 'otp:write']]) {
      const { key } = await fixture.issueKey({ scopes });
      expectError(await knock(key), 403);
    }
  });

  it('stays closed while the organisation or its account is suspended', async () => {
    expectError(await knock((await fixture.issueKey({ organisation: 'suspended' })).key), 403);
    expectError(await knock((await fixture.issueKey({ account: 'suspended' })).key), 403);
  });

  it('closes soon after a key is revoked, expires, or its organisation is suspended, on every gateway', async () => {
    const second = await fixture.gateway();
    const keys = [await fixture.issueKey(), await fixture.issueKey(), await fixture.issueKey()] as const;
    const statuses = async () =>
      Promise.all(
        [gateway, second].flatMap((door) =>
          keys.map(
            async ({ key }) =>
              (await door.call({ path: reachable, headers: [['authorization', key]] })).status,
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

  it('remembers a key for less than the 5 s within which a revocation must hold', () => {
    expect(gateway.part(LookupCache).ttlMs).toBeLessThan(5_000);
  });

  it('opens soon after a key becomes good', async () => {
    const issued = await fixture.issueKey({ revokedAt: past });
    expectError(await knock(issued.key), 401);
    await update(issued, { revokedAt: null });
    await until('the key is accepted', () => isOpenTo(issued.key));
  });

  it('asks the database once for many who come with one key', async () => {
    const remembering = await fixture.gateway({ module: RememberingModule });
    const asked = jest.spyOn(remembering.part(ApiKeyRepository), 'findActive');
    const { key } = await fixture.issueKey();
    const come = async () =>
      (await remembering.call({ path: reachable, headers: [['authorization', key]] })).status;
    const statuses = await Promise.all(Array.from({ length: 100 }, come));
    expect(new Set([...statuses, await come()])).toEqual(new Set([400]));
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('is shut, not open, while the database is away', async () => {
    const { key } = await fixture.issueKey();
    await fixture.postgres.kill();
    try {
      const answer = await knock(key);
      expectError(answer, 503);
      expect(answer.headers['retry-after']).toBe('1');
    } finally {
      await fixture.postgres.restart();
    }
    await until('the key is accepted', () => isOpenTo(key));
  });

  it('never writes a key into the log', () => {
    expect(JSON.stringify(gateway.log.lines)).not.toMatch(/sk_test_/);
  });
});
