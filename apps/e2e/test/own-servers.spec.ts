import { freePort, startPostgres, type TestPostgres, World } from '@gangan/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

const question = { path: '/lookup/phone?phone=08031234567', key: 'sk_test_demo' };

describe('with servers of the user', () => {
  let world: World | undefined;
  let postgres: TestPostgres | undefined;
  afterEach(async () => {
    await world?.close();
    await postgres?.stop();
    world = postgres = undefined;
  }, 60_000);

  it('uses the database it is given, and shares out the few connections it has', async () => {
    postgres = await startPostgres({ max_connections: '74' });
    world = await World.open({ DATABASE_URL: postgres.url });
    await world.start();
    expect(world.output).not.toContain('Starting Postgres');
    expect(await world.ask(question)).toMatchObject({ status: 200 });
  }, 120_000);

  it('says so when the database allows too few connections', async () => {
    postgres = await startPostgres({ max_connections: '30' });
    world = await World.open({ DATABASE_URL: postgres.url });
    await expect(world.start()).rejects.toThrow(/need 70.*Raise its max_connections/);
  }, 60_000);

  it('says so when the database is not there', async () => {
    world = await World.open({ DATABASE_URL: `postgresql://x:secret@127.0.0.1:${await freePort()}/x` });
    const command = world.run();
    expect(await command.end()).toBe(1);
    expect(command.output).toMatch(/database at 127\.0\.0\.1:\d+\/x cannot be used.*DATABASE_URL/);
    expect(command.output).not.toContain('secret');
  }, 60_000);

  it('says so when Redis is not there', async () => {
    world = await World.open({ REDIS_URL: `redis://:secret@127.0.0.1:${await freePort()}` });
    const command = world.run();
    expect(await command.end()).toBe(1);
    expect(command.output).toMatch(/Redis at 127\.0\.0\.1:\d+ cannot be reached.*REDIS_URL/);
    expect(command.output).not.toContain('secret');
  }, 60_000);
});
