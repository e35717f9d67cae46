import { freePort, startPostgres, type TestPostgres, TestSystem } from '@gangan/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

/** With the demo key, which belongs only into a database of the system itself. */
const question = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };

describe('with external servers', () => {
  let system: TestSystem | undefined;
  let postgres: TestPostgres | undefined;
  afterEach(async () => {
    await system?.close();
    await postgres?.stop();
    system = postgres = undefined;
  });

  it('uses the given database and divides its connections', async () => {
    postgres = await startPostgres({ max_connections: '80' });
    system = await TestSystem.open({ DATABASE_URL: postgres.url });
    await system.start();
    expect(system.output).not.toContain('Starting Postgres');
    expect(system.output).not.toContain('Demo key');
    expect(await system.request(question)).toMatchObject({ status: 401 });
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
