import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { runSql, startPostgres, type TestPostgres, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { QueuePool } from '../src/backends/postgres/queue-pool.js';
import { MasterKeys, newQueueKey, Queues } from '../src/index.js';
import { frozen } from './support/frozen.js';
import { LogBook } from './support/system.js';

describe('the pool of the queues', () => {
  let postgres: TestPostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it('survives the loss of a connection between two statements', async () => {
    const pool = new QueuePool(postgres.url, 1, () => undefined);
    pool.on('error', () => undefined);
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    await runSql(
      postgres.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'gangan-queue'`,
    );
    // Without a listener, the error of the connection would be an uncaught exception.
    await ended;
    await expect(client.query('SELECT 1')).rejects.toThrow();
    client.release(true);
    expect((await pool.query('SELECT 1')).rowCount).toBe(1);
    await pool.end();
  });

  const urlOfStranger = (): string =>
    Object.assign(new URL(postgres.url), { username: 'stranger', password: 'wrong' }).href;

  it('marks every failed connection as refused, for BullMQ', async () => {
    const resetting = createServer((socket) => socket.resetAndDestroy());
    resetting.listen(0, '127.0.0.1');
    await once(resetting, 'listening');
    const { port } = resetting.address() as AddressInfo;
    for (const url of [
      urlOfStranger(),
      `postgresql://a@127.0.0.1:${port}/x`,
      'postgresql://a@127.0.0.1:1/x',
    ]) {
      const pool = new QueuePool(url, 1, () => undefined);
      await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await expect(pool.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
      await pool.end();
    }
    resetting.close();
  });

  it('reports why it cannot connect, and keeps the reason as the cause', async () => {
    const reported: unknown[] = [];
    const pool = new QueuePool(urlOfStranger(), 1, (error) => reported.push(error));
    const wrongPassword = { code: expect.stringMatching(/^28/) };
    await expect(pool.connect()).rejects.toMatchObject({ cause: wrongPassword });
    await expect(pool.query('SELECT 1')).rejects.toMatchObject({ cause: wrongPassword });
    expect(reported).toMatchObject([wrongPassword, wrongPassword]);
    await pool.end();
  });

  it('has the reason logged by the transport', async () => {
    const url = urlOfStranger();
    const log = new LogBook();
    const connection = { kind: 'postgres', url, poolSize: 3 } as const;
    const queues = await Queues.open(
      { connection, app: 'gateway', keys: new MasterKeys([newQueueKey()]) },
      'producer',
      log,
    );
    await expect(queues.ping()).rejects.toThrow();
    const details = { purpose: 'queue pool', reason: expect.stringContaining('stranger') };
    expect(log.lines).toContainEqual(expect.objectContaining({ details: expect.objectContaining(details) }));
    await queues.client.close();
    await queues.close();
  });

  it('leaves time for other work between a failed connection and the next, if the caller repeats at once', async () => {
    const pool = new QueuePool('postgresql://a@127.0.0.1:1/x', 1, () => undefined);
    const started = performance.now();
    for (let round = 0; round < 4; round += 1) await expect(pool.query('SELECT 1')).rejects.toThrow();
    // Timers may fire a millisecond early.
    expect(performance.now() - started).toBeGreaterThan(4 * 49);
    await pool.end();
  });

  it('marks no error once it is closed, because BullMQ would repeat the call', async () => {
    const reported: unknown[] = [];
    const pool = new QueuePool(postgres.url, 1, (error) => reported.push(error));
    await pool.close();
    for (const attempt of [pool.connect(), pool.query('SELECT 1')]) {
      const error: unknown = await attempt.catch((reason: unknown) => reason);
      expect(error).toMatchObject({ message: expect.stringContaining('after calling end') });
      expect(error).not.toHaveProperty('code');
    }
    expect(reported).toEqual([]);
  });

  it('closes although a connection is not returned and a statement is in flight', async () => {
    const pool = new QueuePool(postgres.url, 2, () => undefined);
    pool.on('error', () => undefined);
    await pool.connect();
    const statement = expect(pool.query('SELECT pg_sleep(600)')).rejects.toThrow();
    await until('the statement is in flight', () => pool.totalCount === 2);
    await pool.close();
    await statement;
  });

  it('closes although a connection is not returned and the server does not answer', async () => {
    const pool = new QueuePool(postgres.url, 1, () => undefined);
    const client = await pool.connect();
    await frozen(client, () => pool.close());
  });
});
