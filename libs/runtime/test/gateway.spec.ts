import { spawnSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, until } from '@gangan/testing';
import { heapGrowth } from '../src/run-gateway.js';
import { ask } from './support/ask.js';
import { valueOf } from './support/metrics.js';
import { RuntimeFixture } from './support/runtime-fixture.js';

describe('a gateway process', () => {
  let fixture: RuntimeFixture;
  beforeAll(async () => {
    fixture = await RuntimeFixture.create();
  });
  afterEach(() => fixture.endApps());
  afterAll(() => fixture.end());

  it('serves HTTP, sends requests to a worker, reports its port to its supervisor, and drains on shutdown', async () => {
    const worker = fixture.start('echo-worker');
    const gateway = fixture.start('gateway');
    await worker.ready;
    const { port = 0, metricsPort } = await gateway.ready;
    expect(await ask(port, '/v/echo')).toEqual({ status: 200, text: '{"text":"hello"}' });
    expect(await ask(port, '/v/readyz')).toMatchObject({ text: expect.stringContaining('"healthy":true') });
    const { text } = await ask(metricsPort, '/metrics');
    const answered = { app: 'gateway', contract: 'echo.say', outcome: 'ok' };
    expect(valueOf(text, 'gangan_queue_reply_seconds_count', answered)).toBe(1);
    expect(valueOf(text, 'gangan_queue_batch_sent_size_count', { lane: 'echo' })).toBe(1);

    // Requests in flight get their responses before it exits.
    const slow = ask(port, '/v/slow');
    // An idle second connection must not delay the exit.
    await ask(port, '/v/readyz');
    gateway.signal('SIGTERM');
    await gateway.logged('stopping: finishing work in flight');
    expect(await slow).toEqual({ status: 200, text: 'finished' });
    expect(await gateway.exit).toBe(0);
    expect(gateway.log.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  it('sets an option that this V8 knows: at run time Node ignores unknown ones', () => {
    expect(spawnSync(process.execPath, [heapGrowth, '--version']).status).toBe(0);
    expect(spawnSync(process.execPath, ['--heap-growing-unknown=1', '--version']).status).not.toBe(0);
  });

  it('serves for SHUTDOWN_DELAY_SECONDS after SIGTERM, not ready, and closes kept connections', async () => {
    const gateway = fixture.start('gateway', { SHUTDOWN_DELAY_SECONDS: '6' });
    const { port = 0 } = await gateway.ready;
    const get = (path: string) => fetch(`http://127.0.0.1:${port}/v/${path}`);
    const inFlight = get('slow');
    expect((await get('readyz')).headers.get('connection')).toBe('keep-alive');
    gateway.signal('SIGTERM');
    await gateway.logged('stopping: finishing work in flight');
    const late = [get('readyz'), get('slow')];
    expect(await (await get('readyz')).text()).toContain('"process":"stopping"');
    for (const response of await Promise.all(late))
      expect([response.status, response.headers.get('connection')]).toEqual([200, 'close']);
    expect((await inFlight).status).toBe(200);
    expect(await gateway.exit).toBe(0);
  });

  it('listens while the database is unreachable, and is ready when it is back', async () => {
    await fixture.postgres.kill();
    const port = await freePort();
    const gateway = fixture.start('gateway', { PORT: String(port) });
    await gateway.logged('waiting for the database');
    expect(await ask(port, '/v/readyz')).toMatchObject({ text: expect.stringContaining('"healthy":false') });
    await fixture.postgres.restart();
    expect(await gateway.ready).toMatchObject({ port });
    await until('the gateway is ready', async () =>
      (await ask(port, '/v/readyz')).text.includes('"healthy":true'),
    );
  });
});
