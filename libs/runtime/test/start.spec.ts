import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, freePort, pretendVersion, until } from '@gangan/testing';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { ask } from './support/ask.js';
import { RuntimeFixture } from './support/runtime-fixture.js';

describe('the start of a worker', () => {
  let fixture: RuntimeFixture;
  beforeAll(async () => {
    fixture = await RuntimeFixture.create();
  });
  afterEach(() => fixture.endApps());
  afterAll(() => fixture.end());

  it('fails with an invalid configuration, and names every fault', async () => {
    const app = fixture.start('echo-worker', {
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      ECHO__QUEUE_KEYS: undefined,
      LOG_LEVEL: 'loud',
    });
    expect(await app.exit).toBe(78);
    expect(app.stdout).toBe('');
    expect(app.stderr).toContain('echo cannot start. 3 environment variables need your attention');
    expect(app.stderr).toContain('DATABASE_URL must be a URL that starts with postgresql://');
    expect(app.stderr).toContain('ECHO__QUEUE_KEYS is missing');
    expect(app.stderr).toContain('LOG_LEVEL must be one of');
    expect(app.stderr).not.toContain('hunter2');
    expect(await app.ready).toMatchObject({
      type: 'misconfigured',
      faults: expect.arrayContaining([expect.stringContaining('ECHO__QUEUE_KEYS is missing')]),
    });
  });

  it('fails with only the key of version 0.2, and prints the command that derives the keys', async () => {
    const QUEUE_KEY = Buffer.alloc(32, 7).toString('base64');
    const app = fixture.start('echo-worker', {
      NODE_ENV: 'production',
      QUEUE_KEY,
      ECHO__QUEUE_KEYS: undefined,
    });
    expect(await app.exit).toBe(78);
    expect(app.stderr).toContain('ECHO__QUEUE_KEYS is missing');
    expect(app.stderr).toContain('They replace the QUEUE_KEY of version 0.2');
    expect(app.stderr).toContain('pnpm admin queues keys --app echo');
    expect(app.stderr).not.toContain(QUEUE_KEY);
  });

  it('fails without the key of a lane, names the lane and prints the command; warns of the key of another app', async () => {
    const keyOf = (name: string): string => `${name}:${Buffer.alloc(32, 7).toString('base64')}`;
    const lacking = fixture.start('echo-worker', { ECHO__QUEUE_KEYS: keyOf('gateway/shout') });
    expect(await lacking.exit).toBe(78);
    expect(lacking.stderr).toContain('ECHO__QUEUE_KEYS has no key for gateway/echo: derive the keys');
    expect(lacking.stderr).toContain('pnpm admin queues keys --app echo');
    const both = [keyOf('gateway/echo'), keyOf('gateway/shout')].join();
    const excessive = fixture.start('echo-worker', { ECHO__QUEUE_KEYS: both });
    await excessive.ready;
    expect(excessive.log).toContainEqual(
      expect.objectContaining({ level: 'warn', unneeded: ['gateway/shout'] }),
    );
  });

  it('fails in production with SIMULATE_LIVE, and warns of it elsewhere', async () => {
    const production = fixture.start('echo-worker', { NODE_ENV: 'production', SIMULATE_LIVE: 'true' });
    expect(await production.exit).toBe(78);
    expect(production.stderr).toContain('SIMULATE_LIVE must not be true with NODE_ENV=production');
    const warning = { level: 'warn', msg: expect.stringContaining('SIMULATE_LIVE is set') };
    const simulating = fixture.start('echo-worker', { SIMULATE_LIVE: 'true' });
    await simulating.ready;
    expect(simulating.log).toContainEqual(expect.objectContaining(warning));
  });

  it('fails if the database lacks a migration', async () => {
    const empty = await createTestDatabase();
    const app = fixture.start('echo-worker', { DATABASE_URL: empty.url });
    expect(await app.exit).toBe(1);
    await empty.drop();
    expect(app.log.at(-1)).toMatchObject({
      level: 'fatal',
      msg: expect.stringMatching(/lacks .*: run pnpm migrate/),
    });
  });

  it('fails if Postgres is too old', async () => {
    const old = await createTestDatabase();
    await pretendVersion(old.url, 15);
    const app = fixture.start('echo-worker', { DATABASE_URL: old.url });
    expect(await app.exit).toBe(1);
    await old.drop();
    expect(app.log.at(-1)).toMatchObject({
      level: 'fatal',
      msg: expect.stringMatching(/^Postgres 18 is needed, this is 15/),
    });
  });

  it('fails if a contract has no handler', async () => {
    const app = fixture.start('deaf-worker');
    expect(await app.exit).toBe(1);
    expect(app.log.at(-1)).toMatchObject({ level: 'fatal', err: { message: 'No handler for echo.say' } });
  });

  it('fails if its port is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    const { port } = squatter.address() as AddressInfo;
    const app = fixture.start('echo-worker', { METRICS_PORT: String(port) });
    expect(await app.exit).toBe(1);
    expect(app.log.at(-1)).toMatchObject({ msg: expect.stringContaining(`Port ${port} is taken`) });
    squatter.close();
  });

  it('fails if METRICS_HOST names a network in which it has no address', async () => {
    const app = fixture.start('echo-worker', { METRICS_HOST: '127.0.0.1,240.0.0.0/8' });
    expect(await app.exit).toBe(1);
    expect(app.log.at(-1)).toMatchObject({
      msg: expect.stringContaining('no address in 240.0.0.0/8, which METRICS_HOST names'),
    });
  });

  it('waits for an unreachable database, and survives its loss: alive, but not ready', async () => {
    await fixture.postgres.kill();
    const metricsPort = await freePort();
    const app = fixture.start('echo-worker', { METRICS_PORT: String(metricsPort) });
    await app.logged('waiting for the database');
    expect(await ask(metricsPort, '/healthz')).toMatchObject({ status: 200 });
    expect(await ask(metricsPort, '/readyz')).toMatchObject({ status: 503 });
    await fixture.postgres.restart();
    await app.ready;
    expect(app.stdout).not.toContain('SIMULATE_LIVE');
    expect(await ask(metricsPort, '/readyz')).toMatchObject({ status: 200 });

    await fixture.postgres.kill();
    await until('the app is not ready', async () => (await ask(metricsPort, '/readyz')).status === 503, {
      details: () => app.stdout,
    });
    expect(await ask(metricsPort, '/healthz')).toMatchObject({ status: 200 });
    await fixture.postgres.restart();
    await until('the app is ready', async () => (await ask(metricsPort, '/readyz')).status === 200, {
      details: () => app.stdout,
    });
  });

  it('waits for an unreachable broker, and can be stopped meanwhile', async () => {
    const metricsPort = await freePort();
    const app = fixture.start('echo-worker', {
      METRICS_PORT: String(metricsPort),
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
    });
    await app.logged('waiting for the broker');
    expect(await ask(metricsPort, '/healthz')).toMatchObject({ status: 200 });
    expect(await ask(metricsPort, '/readyz')).toMatchObject({ status: 503 });
    app.signal('SIGTERM');
    expect(await app.exit).toBe(0);
  });

  it('can be stopped while it waits for the database', async () => {
    await fixture.postgres.kill();
    const app = fixture.start('echo-worker');
    await app.logged('waiting for the database');
    app.signal('SIGTERM');
    expect(await app.exit).toBe(0);
    await fixture.postgres.restart();
  });
});
