import { setTimeout as pause } from 'node:timers/promises';
import { describeAgainWithRedis, isFullSuite, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { EchoClient } from './support/echo-client.js';
import type { RunningApp } from './support/running-app.js';
import { RuntimeFixture } from './support/runtime-fixture.js';

const watchdogExit = 70;
const forever = 2 ** 31;

describe('a process that hangs', () => {
  let fixture: RuntimeFixture;
  let client: EchoClient;
  const hang = (text: string): void => {
    client.sendWithoutReply(text, forever);
  };
  const start = async (environment: NodeJS.ProcessEnv = {}): Promise<RunningApp> => {
    const app = fixture.start('hanging-worker', { EVENT_LOOP_TIMEOUT_SECONDS: '1', ...environment });
    await app.ready;
    expect(await client.say('hello')).toEqual({ text: 'hello' });
    return app;
  };

  beforeAll(async () => {
    fixture = await RuntimeFixture.create();
    client = await fixture.openClient();
  });
  afterEach(() => fixture.endApps());
  afterAll(async () => {
    await client.close();
    await fixture.end();
  });

  it('ends if its event loop is blocked, and logs where', async () => {
    const app = await start();
    hang('in a loop');
    expect(await app.exit).toBe(watchdogExit);
    expect(app.log.at(-1)).toMatchObject({
      level: 'fatal',
      app: 'hanging',
      pid: expect.any(Number),
      seconds: 1,
      stack: expect.arrayContaining([expect.stringMatching(/\(file:.*hanging-worker\.ts:\d+:\d+\)$/)]),
      msg: 'the event loop is blocked: ending the process',
    });
  });

  it("ends with its exit code if it is blocked in Node's own code", async () => {
    const app = await start();
    hang("in Node's own code");
    expect(await app.exit).toBe(watchdogExit);
    expect(app.log.at(-1)).toMatchObject({ level: 'fatal', stack: expect.any(Array) });
  });

  it('is killed if it is blocked outside JavaScript, where no exit code can be set', async () => {
    const app = await start();
    hang('in a system call');
    expect(await app.exit).toBeNull();
    expect(app.signalCode).toBe('SIGKILL');
    expect(app.log.at(-1)).toMatchObject({ level: 'fatal', seconds: 1 });
    expect(app.log.at(-1)).not.toHaveProperty('stack');
  });

  it('does not end because it was paused', async () => {
    const app = await start();
    for (const round of isFullSuite ? ['first', 'second'] : ['once']) {
      app.signal('SIGSTOP');
      await pause(1_500);
      app.signal('SIGCONT');
      expect(await client.say(round)).toEqual({ text: round });
    }
    expect(app.log.filter(({ level }) => level === 'fatal')).toEqual([]);
  });

  it.each([
    ['a debugger listens', { NODE_OPTIONS: '--inspect=127.0.0.1:0' }],
    ['the watchdog is switched off', { EVENT_LOOP_TIMEOUT_SECONDS: '0' }],
  ])('does not end while %s', async (_, environment) => {
    await start(environment);
    expect(await client.say('in a loop', 1_500)).toEqual({ text: 'in a loop' });
  });

  const endsWithoutTakingJobs = async (environment: NodeJS.ProcessEnv = {}): Promise<void> => {
    const app = await start(environment);
    expect(await client.say('without taking jobs')).toEqual({ text: 'without taking jobs' });
    for (let n = 0; n < 5; n += 1) {
      hang(`waits ${n}`);
      await pause(100);
    }
    expect(await app.exit).toBe(watchdogExit);
    expect(app.log.at(-1)).toMatchObject({
      level: 'fatal',
      lane: 'echo',
      msg: 'jobs wait and this process takes none: ending the process',
    });
  };

  it('ends if it has stopped taking jobs, on Postgres', () => endsWithoutTakingJobs());

  describeAgainWithRedis('with Redis', () => {
    let redis: TestRedis;
    let onPostgres: EchoClient;
    beforeAll(async () => {
      redis = await startRedis();
      onPostgres = client;
      client = await fixture.openClient(redis.url);
    });
    afterAll(async () => {
      await client.close();
      client = onPostgres;
      await redis.stop();
    });

    it('ends if it has stopped taking jobs', () => endsWithoutTakingJobs({ REDIS_URL: redis.url }));
  });
});
