import { Database } from '@gangan/database';
import {
  CallbackConsumer,
  describeWithRedis,
  freePort,
  isFullSuite,
  startPostgres,
  startRedis,
  type TestPostgres,
  type TestRedis,
  TestSystem,
  until,
} from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newCallbackSecret, newOrganisation } from './support/new-organisation.js';

/** With the demo key, which belongs only into a database of the system itself. */
const question = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };

describeWithRedis('a system with the given Postgres and Redis', () => {
  let redis: TestRedis;
  let postgres: TestPostgres;
  let system: TestSystem;
  let database: Database;
  let consumer: CallbackConsumer;
  beforeAll(async () => {
    redis = await startRedis();
    postgres = await startPostgres({ max_connections: isFullSuite ? '80' : '40' });
    consumer = await CallbackConsumer.start((_, response) => response.end());
    system = await TestSystem.open(
      { DATABASE_URL: postgres.url, REDIS_URL: redis.url, CALLBACK_ALLOW_PRIVATE: 'true' },
      { compact: !isFullSuite },
    );
    await system.start();
    database = new Database({ url: postgres.url, poolSize: 2 });
  });
  afterAll(async () => {
    await database.close();
    await system.close();
    await consumer.stop();
    await postgres.stop();
    await redis.stop();
  });

  it('starts no Postgres, divides the connections, and does not know the demo key', async () => {
    expect(system.output).not.toContain('Starting Postgres');
    expect(system.output).not.toContain('Demo key');
    expect(await system.request(question)).toMatchObject({ status: 401 });
  });

  it('sends a message, reports it, and verifies an OTP', async () => {
    const { id: organisationId, key } = await newOrganisation(database, 'Redis', 10_000n);
    await newCallbackSecret(system, database, organisationId);
    const post = async (path: string, body: object): Promise<Record<string, string>> => {
      const answer = await system.request({ method: 'POST', path, key, body });
      expect(answer).toMatchObject({ status: 200 });
      return answer.body as Record<string, string>;
    };
    const callback = `http://127.0.0.1:${consumer.port}/`;
    const message = await post('/sms/send', { recipients: '08031234567', content: 'Hello', callback });
    await until('the delivery is reported', () =>
      consumer.seen.some(
        ({ body }) => body.includes('message.delivered') && body.includes(String(message['id'])),
      ),
    );
    const otp = await post('/otp/request_token', { recipient: '08031234567', token: '735196' });
    expect(await post('/otp/verify', { id: otp['id'], token: '735196' })).toMatchObject({
      status_desc: 'VERIFIED',
    });
    expect(Number(/:(\d+)/.exec(await redis.command('DBSIZE'))?.[1])).toBeGreaterThan(0);
  });
});

describe('the start command', () => {
  let system: TestSystem | undefined;
  let postgres: TestPostgres | undefined;
  afterEach(async () => {
    await system?.close();
    await postgres?.stop();
    system = postgres = undefined;
  });

  it('reports that the database allows too few connections', async () => {
    postgres = await startPostgres({ max_connections: '30' });
    system = await TestSystem.open({ DATABASE_URL: postgres.url });
    await expect(system.start()).rejects.toThrow(/need 58.*Raise its max_connections/);
  });

  it('reports that the database is unavailable', async () => {
    system = await TestSystem.open({ DATABASE_URL: `postgresql://x:secret@127.0.0.1:${await freePort()}/x` });
    const command = system.run();
    expect(await command.end()).toBe(1);
    expect(command.output).toMatch(/database at 127\.0\.0\.1:\d+\/x cannot be used.*DATABASE_URL/);
    expect(command.output).not.toContain('secret');
  });

  it('reports that Redis is unavailable', async () => {
    system = await TestSystem.open({ REDIS_URL: `redis://:secret@127.0.0.1:${await freePort()}` });
    const command = system.run();
    expect(await command.end()).toBe(1);
    expect(command.output).toMatch(/Redis at 127\.0\.0\.1:\d+ cannot be reached.*REDIS_URL/);
    expect(command.output).not.toContain('secret');
  });
});
