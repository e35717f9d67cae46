import { isFullSuite, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ask } from './support/ask.js';
import type { EchoClient } from './support/echo-client.js';
import { valueOf } from './support/metrics.js';
import { RuntimeFixture } from './support/runtime-fixture.js';

describe('a worker process', () => {
  let fixture: RuntimeFixture;
  let client: EchoClient;

  beforeAll(async () => {
    fixture = await RuntimeFixture.create();
    client = await fixture.openClient();
  });
  afterEach(() => fixture.endApps());
  afterAll(async () => {
    await client.close();
    await fixture.end();
  });

  it('starts, reports to its supervisor, replies, has metrics and a log', async () => {
    const app = fixture.start('echo-worker', { ECHO_PREFIX: 'you said ' });
    const { metricsPort, ...ready } = await app.ready;
    expect(ready).toEqual({ type: 'ready', name: 'echo', metricsHost: '127.0.0.1' });
    expect(await until('the worker replies', () => client.say('hello').catch(() => undefined))).toEqual({
      text: 'you said hello',
    });

    expect(await ask(metricsPort, '/readyz')).toEqual({
      status: 200,
      text: '{"healthy":true,"checks":{"process":"ok","database":"ok","queue":"ok"}}\n',
    });
    expect(await ask(metricsPort, '/healthz')).toEqual({
      status: 200,
      text: '{"healthy":true,"checks":{"event_loop":"ok","queue_loop":"ok","handlers":"ok"}}\n',
    });
    const { text } = await ask(metricsPort, '/metrics');
    const lane = { app: 'echo', lane: 'echo' };
    const handled = { app: 'echo', contract: 'echo.say', outcome: 'ok' };
    expect(valueOf(text, 'gangan_queue_depth', { ...lane, state: 'waiting' })).toBe(0);
    expect(valueOf(text, 'gangan_queue_oldest_job_age_seconds', lane)).toBe(0);
    expect(valueOf(text, 'gangan_queue_batch_received_size_count', lane)).toBe(1);
    expect(valueOf(text, 'gangan_queue_wait_seconds_count', lane)).toBe(1);
    expect(valueOf(text, 'gangan_queue_handler_seconds_count', handled)).toBe(1);
    expect(valueOf(text, 'gangan_queue_up', { app: 'echo' })).toBe(1);
    expect(valueOf(text, 'gangan_phone_numbers_parsed_total', { app: 'echo' })).toBe(0);
    expect(valueOf(text, 'nodejs_eventloop_lag_p99_seconds', {})).toBeGreaterThan(0);
    expect(valueOf(text, 'process_resident_memory_bytes', {})).toBeGreaterThan(0);

    // One line an event, with the request it belongs to and without its secrets.
    await client.say('sk_live_token');
    const begun = () => app.log.filter(({ msg }) => msg === 'begun')[1];
    const line = await until('the request is logged', begun, { details: () => app.stdout });
    expect(line).toMatchObject({
      level: 'info',
      app: 'echo',
      recipient: '+234*******567',
      token: '[removed]',
    });
    expect(line['requestId']).toEqual(expect.any(String));
    expect(app.stdout).not.toContain('sk_live_token');
    expect(app.stderr).toBe('');
  });

  it('loads the Prisma client before it takes the first request and reports that it is ready', async () => {
    const app = fixture.start('echo-worker', { LOG_LEVEL: 'debug' });
    await until('the worker replies', () => client.say('sent before the start').catch(() => undefined));
    await Promise.all([app.ready, app.logged('ready')]);
    const steps = ['loaded the Prisma client', 'serving', 'begun', 'ready'];
    const [first, ...rest] = app.log.flatMap(({ msg }) => steps.filter((step) => step === msg));
    expect(first).toBe('loaded the Prisma client');
    expect(rest).toEqual(expect.arrayContaining(['begun', 'ready']));
  });

  const signals = isFullSuite ? (['SIGTERM', 'SIGINT'] as const) : (['SIGTERM'] as const);
  it.each(signals)('finishes its work in flight at %s, and exits with 0', async (signal) => {
    const app = fixture.start('echo-worker');
    const { metricsPort } = await app.ready;
    const answer = client.say('in flight', 1_500);
    await app.logged('begun');
    app.signal(signal);
    await app.logged('stopping: finishing work in flight');
    expect(await ask(metricsPort, '/readyz')).toMatchObject({
      status: 503,
      text: expect.stringContaining('"process":"stopping"'),
    });
    expect(await answer).toEqual({ text: 'in flight' });
    expect(await app.exit).toBe(0);
    expect(app.log.at(-1)).toMatchObject({ msg: 'stopped' });
  });

  it('exits at once with 1 at the second signal', async () => {
    const app = fixture.start('echo-worker');
    await app.ready;
    const abandon = client.sendWithoutReply('abandoned', 14_000);
    await app.logged('begun');
    app.signal('SIGTERM');
    await app.logged('stopping: finishing work in flight');
    app.signal('SIGTERM');
    expect(await app.exit).toBe(1);
    abandon();
  });

  it('stops by itself when its supervisor is gone', async () => {
    const app = fixture.start('echo-worker');
    await app.ready;
    app.abandon();
    expect(await app.exit).toBe(0);
  });

  it('logs an uncaught error before it exits, with its position in the source', async () => {
    const app = fixture.start('echo-worker');
    await app.ready;
    const abandon = client.sendWithoutReply('crash', 0);
    expect(await app.exit).toBe(1);
    abandon();
    expect(app.log.at(-1)).toMatchObject({
      level: 'fatal',
      err: {
        message: 'uncaught',
        stack: expect.stringMatching(/file:[^\s]*\/apps\/echo-worker\.ts:\d+:\d+/),
      },
    });
  });
});
