import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@gangan/database';
import { appNames } from '@gangan/protocol';
import { isFullSuite, type TestRequest, TestSystem, until, untilGone } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOf } from './support/database-of.js';
import { newOrganisation } from './support/new-organisation.js';

const workers = appNames.filter((app) => app !== 'gateway');
const phone = '08031234567';

/** Newer versions of Node take more. */
const onNode20 = process.platform === 'linux' && process.version.startsWith('v20.') ? it : it.skip;

const residentMegabytes = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe('compact mode', () => {
  let system: TestSystem;
  beforeAll(async () => {
    system = await TestSystem.open({ RATE_LIMIT_PER_SECOND: '0' }, { compact: true });
    await system.start();
  });
  afterAll(() => system.close());

  const ask = async (request: Omit<TestRequest, 'key'>): Promise<Record<string, unknown>> => {
    const { status, body } = await system.request({ ...request, key: 'sk_test_demo' });
    expect([status, body]).toEqual([200, body]);
    return body as Record<string, unknown>;
  };
  const post = (path: string, body: object): Promise<Record<string, unknown>> =>
    ask({ method: 'POST', path, body });
  const logLines = (): Record<string, unknown>[] =>
    readFileSync(join(system.folder, 'logs', 'workers.log'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const askWorkers = async (path: string): Promise<Response> => {
    const port = logLines().findLast(({ msg }) => msg === 'ready')?.['metricsPort'];
    return fetch(`http://127.0.0.1:${String(port)}${path}`);
  };

  it('has two processes, and prints their logs', () => {
    expect(Object.keys(system.apps())).toEqual(['gateway', 'workers']);
    expect(system.output).toContain('with all workers in one process');
    expect(system.output).toContain('{gateway,workers}.log');
  });

  it('delivers a message', async () => {
    const { id } = await post('/sms/send', { recipients: phone, content: 'Your order has left.' });
    await until('the message is delivered', async () => {
      const { deliveries } = await ask({ path: `/sms/${String(id)}` });
      return (deliveries as { status: string }[]).every(({ status }) => status === 'delivered');
    });
  });

  it('verifies a number', async () => {
    const { id } = await post('/otp/request_token', { recipient: phone, token: '735196' });
    expect(await post('/otp/verify', { id, token: '735196' })).toMatchObject({ status_desc: 'VERIFIED' });
  });

  it('buys airtime', async () => {
    const { id } = await post('/airtime/buy', { network: 'MTN', amount: 100, recipient: phone });
    await until('the purchase has ended', async () => {
      const { status } = await ask({ path: `/airtime/${String(id)}` });
      return status === 'success';
    });
  });

  it('looks up a number', async () => {
    expect(await ask({ path: `/lookup/phone?phone=${phone}` })).toMatchObject({ operator: 'MTN' });
  });

  it('imports contacts', async () => {
    const headers = { 'content-type': 'text/csv' };
    const text = 'name,email\nAda,ada@compact.example\nBola,bola@compact.example\n';
    const { id } = await ask({ method: 'POST', path: '/lists/contact/imports', headers, text });
    const job = await until('the import has ended', async () => {
      const found = await ask({ path: `/lists/contact/imports/${String(id)}` });
      return ['done', 'failed'].includes(String(found['state'])) && found;
    });
    expect(job).toMatchObject({ state: 'done', created: 2, rejected: 0 });
  });

  it('connects each app to Postgres as its own user, with its own lease holder', async () => {
    const database = await databaseOf(system);
    const connections = await database.query<{ name: string; user: string }>(sql`
      SELECT DISTINCT application_name AS name, usename::text AS user FROM pg_stat_activity
      WHERE application_name IN (SELECT 'gangan-' || unnest(${[...appNames]}::text[]))`);
    expect(new Map(connections.map(({ name, user }) => [name, user]))).toEqual(
      new Map(appNames.map((app) => [`gangan-${app}`, `gangan_${app}_login`])),
    );
    const holders = await database.query<{ app: string; pid: number }>(
      sql`SELECT app, pid FROM lease_holder ORDER BY app`,
    );
    await database.close();
    const holding = workers.filter((app) => app !== 'otp').toSorted();
    expect(holders).toEqual(holding.map((app) => ({ app, pid: system.apps()['workers'] })));
  });

  it('has the metrics and the health of all apps on one port, and their names in one log', async () => {
    const upLines = workers.map((app) => `gangan_queue_up{app="${app}"} 1`);
    let metrics = '';
    // On a busy machine a queue may not answer in time.
    await until(
      'the queues of all apps are up',
      async () => {
        metrics = await (await askWorkers('/metrics')).text();
        return upLines.every((line) => metrics.split('\n').includes(line));
      },
      { details: () => metrics.match(/^gangan_queue_up.*$/gm)?.join('\n') ?? 'none' },
    );
    expect(metrics.match(/^process_resident_memory_bytes\{.*$/gm)).toEqual([
      expect.stringContaining('app="workers"'),
    ]);
    const health = (await (await askWorkers('/readyz')).json()) as { checks: Record<string, string> };
    expect(health).toMatchObject({ healthy: true });
    expect(Object.keys(health.checks)).toEqual(
      expect.arrayContaining(workers.flatMap((app) => [`${app}.process`, `${app}.database`, `${app}.queue`])),
    );
    const serving = logLines().filter(({ msg }) => msg === 'serving');
    expect(serving.map(({ app }) => app).toSorted()).toEqual([...workers].toSorted());
  });

  /** Sends messages of an organisation, 20 at a time, and waits until all are delivered. */
  const deliver = async (messages: number): Promise<void> => {
    const database = await databaseOf(system);
    const { id, key } = await newOrganisation(database, 'Compact', 100_000_000n, { defaultSender: 'Gangan' });
    let sent = 0;
    const send = async (): Promise<void> => {
      for (; sent < messages;) {
        sent += 1;
        const body = { recipients: phone, content: `Message ${sent}` };
        expect(await system.request({ method: 'POST', path: '/sms/send', key, body })).toMatchObject({
          status: 200,
        });
      }
    };
    await Promise.all(Array.from({ length: 20 }, send));
    await until('all messages are delivered', async () => {
      const delivered = await database.delivery.count({ where: { organisationId: id, state: 'delivered' } });
      return delivered === messages;
    });
    await database.close();
  };

  onNode20('takes less than 400 MB', async () => {
    if (isFullSuite) await deliver(5_000);
    const pids = Object.values(system.apps());
    await until('it takes less than 400 MB', () => pids.map(residentMegabytes).reduce((a, b) => a + b) < 400);
  });

  it('restarts the process of the workers when it was killed', async () => {
    const before = system.apps()['workers'];
    system.killApp('workers');
    await until('the workers are ready again', () => system.output.includes('workers is ready again'));
    expect(system.output).toContain('workers ended (signal SIGKILL)');
    expect(system.apps()['workers']).not.toBe(before);
    await until('a request is answered', async () => {
      const path = `/lookup/phone?phone=${phone}`;
      return (await system.request({ path, key: 'sk_test_demo' })).status === 200;
    });
  });

  // `start.spec.ts` tests it with a process per app.
  if (isFullSuite)
    it('is not outlived by its processes after a kill -9, and starts again with its data', async () => {
      const apps = Object.values(system.apps());
      await system.stop('SIGKILL');
      await untilGone(apps);
      await system.start();
      expect(await ask({ path: `/lookup/phone?phone=${phone}` })).toMatchObject({ operator: 'MTN' });
    });

  it('leaves nothing running when it stops', async () => {
    const everything = system.processes();
    expect(everything).toHaveLength(4);
    expect(await system.stop()).toBe(0);
    await untilGone(everything);
    expect(logLines().at(-1)).toMatchObject({ app: 'workers', msg: 'stopped' });
  });
});
