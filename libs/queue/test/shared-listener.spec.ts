import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createTestDatabase, runSql, type TestDatabase, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { firstValueFrom } from 'rxjs';
import { LaneClient } from '../src/backends/postgres/lane-client.js';
import { ListenerConnection } from '../src/backends/postgres/listener-connection.js';
import { queueClientConfig } from '../src/backends/postgres/queue-pool.js';
import { SharedListener } from '../src/backends/postgres/shared-listener.js';
import { migrateQueue } from '../src/index.js';
import * as oracle from './support/contracts.js';
import { frozen } from './support/frozen.js';
import { System } from './support/system.js';

const listening = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE '%LISTEN bullmq_jobs%'
  AND query NOT ILIKE '%pg_stat_activity%'`;

const ignore = (): void => undefined;

describe('the connection on which lanes listen', () => {
  let database: TestDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    database = await createTestDatabase(migrateQueue);
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  it('is shared by all lanes of a process with any pool size', async () => {
    const system = new System({ kind: 'postgres', url: database.url, poolSize: 3 });
    await system.worker();
    const gateway = await system.gateway();
    expect(await firstValueFrom(gateway.client.send(oracle.askValue, { text: 'a' }))).toEqual({ text: 'a!' });
    expect((await client.query(listening)).rowCount).toBe(1);
    await system.close();
  });

  it('uses a connection of the pool in a worker, but not in a gateway', async () => {
    const system = new System({ kind: 'postgres', url: database.url, poolSize: 5 });
    const worker = await system.worker();
    const gateway = await system.gateway();
    expect(worker.queues.poolUse()?.max).toBe(4);
    expect(gateway.poolUse()?.max).toBe(5);
    await system.close();
  });

  it('is renewed after a failure, and every lane is notified', async () => {
    const listener = new SharedListener(queueClientConfig(database.url), ignore);
    const [one, other] = [await listener.connect(), await listener.connect()];
    const errors: unknown[] = [];
    for (const lane of [one, other]) lane.on('error', (error) => errors.push(error));
    await one.query('LISTEN bullmq_jobs');
    await runSql(database.url, `SELECT pg_terminate_backend(pid) FROM (${listening}) AS listening`);
    await until('both lanes hear of it', () => errors.length >= 2);
    for (const lane of [one, other]) lane.release();
    const again = await listener.connect();
    const heard: unknown[] = [];
    again.on('notification', ({ payload }: pg.Notification) => heard.push(payload));
    await again.query('LISTEN bullmq_jobs');
    await runSql(database.url, `SELECT pg_notify('bullmq_jobs', 'a queue')`);
    await until('the lane hears the notification', () => heard.length === 1);
    expect(heard).toEqual(['a queue']);
    await listener.close();
  });

  it('does not keep a failed connection, and reports the reason', async () => {
    const reported: unknown[] = [];
    const config = queueClientConfig('postgresql://stranger@127.0.0.1:1/x');
    const listener = new SharedListener(config, (error) => reported.push(error));
    await expect(listener.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(listener.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    expect(reported).toMatchObject([{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }]);
    await listener.close();
  });

  it('is not opened again after it was closed', async () => {
    const listener = new SharedListener(queueClientConfig(database.url), ignore);
    await listener.connect();
    await listener.close();
    await expect(listener.connect()).rejects.toThrow('closed');
  });

  it('can be closed while it is opened, and the waiting lane is notified', async () => {
    const silent = createServer().listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const config = { ...queueClientConfig(`postgresql://a@127.0.0.1:${port}/x`), connectionTimeoutMillis: 0 };
    const listener = new SharedListener(config, ignore);
    const refused = expect(listener.connect()).rejects.toThrow('closed');
    await listener.close();
    await refused;
    silent.close();
  });

  it('can be closed although the server does not answer', async () => {
    const listener = new SharedListener(queueClientConfig(database.url), ignore);
    const lane = await listener.connect();
    await frozen(lane, () => listener.close());
  });

  it('gets one query at a time with any number of lanes', async () => {
    const connection = new ListenerConnection(queueClientConfig(database.url));
    await connection.connected;
    const lanes = Array.from({ length: 5 }, () => new LaneClient(connection));
    const query = connection.client.query.bind(connection.client) as LaneClient['query'];
    let running = 0;
    let mostAtOnce = 0;
    const countedQuery: LaneClient['query'] = async (text, values) => {
      mostAtOnce = Math.max(mostAtOnce, (running += 1));
      return query(text, values).finally(() => (running -= 1));
    };
    Object.assign(connection.client, { query: countedQuery });
    const texts = ['LISTEN bullmq_jobs', 'SELECT 1', 'SELECT wrong', 'SELECT 2', 'SELECT 3'];
    const results = await Promise.allSettled(lanes.map((lane, n) => lane.query(texts[n] ?? '')));
    expect(mostAtOnce).toBe(1);
    // An error of the server fails its own query only.
    expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, true]);
    await connection.close();
  });

  it('is renewed if a query gets no answer, and every lane is notified', async () => {
    const listener = new SharedListener({ ...queueClientConfig(database.url), query_timeout: 300 }, ignore);
    const [one, other] = [await listener.connect(), await listener.connect()];
    const errors = new Map<unknown, unknown>();
    for (const lane of [one, other]) lane.on('error', (error) => errors.set(lane, error));
    await frozen(one, async () => {
      await expect(one.query('LISTEN bullmq_jobs')).rejects.toThrow('timeout');
      await until('both lanes hear of it', () => errors.size === 2);
      const again = await listener.connect();
      expect((await again.query('SELECT 1')).rowCount).toBe(1);
    });
    await listener.close();
  });
});
