import { isFullSuite, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from './support/ask.js';
import type { EchoClient } from './support/echo-client.js';
import { valueOf } from './support/metrics.js';
import type { RunningApp } from './support/running-app.js';
import { RuntimeFixture } from './support/runtime-fixture.js';

describe('a process of several workers', () => {
  let fixture: RuntimeFixture;
  let client: EchoClient;
  const start = (environment: NodeJS.ProcessEnv = {}): RunningApp =>
    fixture.start('workers', { HOSTED: 'echo-worker,shout-worker', ...environment });

  beforeAll(async () => {
    fixture = await RuntimeFixture.create();
    client = await fixture.openClient();
  });
  afterEach(() => fixture.endApps());
  afterAll(async () => {
    await client.close();
    await fixture.end();
  });

  it('gives each app its own configuration and log, and has one port for health and metrics', async () => {
    const environment = { ECHO_PREFIX: 'all ', SHOUT__ECHO_PREFIX: 'own ', SHOUT__LOG_LEVEL: 'warn' };
    const app = start(environment);
    const { metricsPort, ...ready } = await app.ready;
    expect(ready).toEqual({ type: 'ready', name: 'workers', metricsHost: '127.0.0.1' });
    expect(await client.say('hello')).toEqual({ text: 'all hello' });
    expect(await client.shout('hello')).toEqual({ text: 'own HELLO' });

    expect(JSON.parse((await ask(metricsPort, '/readyz')).text)).toEqual({
      healthy: true,
      checks: {
        'echo.process': 'ok',
        'echo.database': 'ok',
        'echo.queue': 'ok',
        'shout.process': 'ok',
        'shout.database': 'ok',
        'shout.queue': 'ok',
      },
    });
    expect(JSON.parse((await ask(metricsPort, '/healthz')).text)).toMatchObject({
      healthy: true,
      checks: { event_loop: 'ok', 'echo.queue_loop': 'ok', 'shout.queue_loop': 'ok' },
    });
    const { text } = await ask(metricsPort, '/metrics');
    for (const name of ['echo', 'shout']) {
      const handled = { app: name, contract: `${name}.say`, outcome: 'ok' };
      expect(valueOf(text, 'gangan_queue_handler_seconds_count', handled)).toBe(1);
      expect(valueOf(text, 'gangan_database_pool_max', { app: name, pool: 'database' })).toBe(6);
    }
    expect(text.match(/^# TYPE gangan_queue_handler_seconds /gm)).toHaveLength(1);
    expect(text.match(/^process_resident_memory_bytes/gm)).toHaveLength(1);
    expect(valueOf(text, 'process_resident_memory_bytes', { app: 'workers' })).toBeGreaterThan(0);

    expect(await app.logged('begun')).toMatchObject({ app: 'echo' });
    expect(await app.logged('ready')).toMatchObject({ app: 'workers', metricsPort });
    expect(app.log).not.toContainEqual(expect.objectContaining({ msg: 'shouting' }));
    expect(app.stderr).toBe('');
  });

  it('names the faults of all apps, by the variables that have to be changed', async () => {
    const app = start({ ECHO__QUEUE_KEYS: undefined, ECHO__DATABASE_URL: 'mysql://root:hunter2@db/x' });
    expect(await app.exit).toBe(78);
    expect(app.stderr).toContain('workers cannot start. 2 environment variables need your attention');
    expect(app.stderr).toContain('  ECHO__DATABASE_URL must be a URL that starts with postgresql://');
    expect(app.stderr).toContain('  ECHO__QUEUE_KEYS is missing');
    expect(app.stderr).not.toContain('hunter2');
  });

  it('finishes the work in flight of all apps at the same time, and exits with 0', async () => {
    const app = start();
    const { metricsPort } = await app.ready;
    const answers = [client.say('in flight', 2_000), client.shout('in flight', 2_000)];
    await Promise.all([app.logged('begun'), app.logged('shouting')]);
    app.signal('SIGTERM');
    await app.logged('stopping: finishing work in flight');
    expect(await ask(metricsPort, '/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('"shout.process":"stopping"'),
    });
    expect(await Promise.all(answers)).toEqual([{ text: 'in flight' }, { text: 'IN FLIGHT' }]);
    expect(await app.exit).toBe(0);
    expect(app.log.at(-1)).toMatchObject({ app: 'workers', msg: 'stopped' });
    expect(app.log.filter(({ msg }) => msg === 'stopped')).toHaveLength(1);
  });

  it('ends if one of its apps cannot start', async () => {
    const app = start({ HOSTED: 'shout-worker,deaf-worker' });
    expect(await app.exit).toBe(1);
    expect(app.log.filter(({ level }) => level === 'fatal')).toEqual([
      expect.objectContaining({
        app: 'deaf',
        err: expect.objectContaining({ message: 'No handler for echo.say' }),
      }),
    ]);
  });

  // `start.spec.ts` tests it with the process of one worker.
  if (isFullSuite)
    it('can be stopped while an app waits for its database', async () => {
      const app = start({ SHOUT__DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' });
      expect(await app.logged('waiting for the database')).toMatchObject({ app: 'shout' });
      await until('the other app runs', () => client.say('hello').catch(() => undefined));
      app.signal('SIGTERM');
      expect(await app.exit).toBe(0);
    });

  it('ends if one of its apps stops taking jobs', async () => {
    const app = start({ HOSTED: 'shout-worker,hanging-worker' });
    await app.ready;
    expect(await client.say('without taking jobs')).toEqual({ text: 'without taking jobs' });
    for (let n = 0; n < 5; n += 1) client.sendWithoutReply(`waits ${n}`, 0);
    expect(await app.exit).toBe(70);
    expect(app.log.at(-1)).toMatchObject({ level: 'fatal', app: 'hanging', lane: 'echo' });
  });

  // `watchdog.spec.ts` tests it with the process of one worker.
  if (isFullSuite)
    it('ends if its event loop is blocked, and logs where', async () => {
      const app = start({ HOSTED: 'shout-worker,hanging-worker', EVENT_LOOP_TIMEOUT_SECONDS: '1' });
      await app.ready;
      client.sendWithoutReply('in a loop', 60_000);
      expect(await app.exit).toBe(70);
      expect(app.log.at(-1)).toMatchObject({
        level: 'fatal',
        app: 'workers',
        stack: expect.arrayContaining([expect.stringMatching(/hanging-worker\.ts:\d+:\d+\)$/)]),
      });
    });
});
