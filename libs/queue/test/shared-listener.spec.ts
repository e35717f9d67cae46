import { createTestDatabase, runSql, type TestDatabase, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { firstValueFrom } from 'rxjs';
import { queueClientConfig } from '../src/backends/postgres/queue-pool.js';
import { SharedListener } from '../src/backends/postgres/shared-listener.js';
import { migrateQueue } from '../src/index.js';
import * as oracle from './support/contracts.js';
import { System } from './support/system.js';

const listening = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE '%LISTEN bullmq_jobs%'
  AND query NOT ILIKE '%pg_stat_activity%'`;

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

  it('is one for all lanes of a process, however small its pool', async () => {
    const system = new System({ kind: 'postgres', url: database.url, poolSize: 3 });
    await system.worker();
    const gateway = await system.gateway();
    expect(await firstValueFrom(gateway.client.send(oracle.askValue, { text: 'a' }))).toEqual({ text: 'a!' });
    expect((await client.query(listening)).rowCount).toBe(1);
    await system.close();
  });

  it('is renewed after it broke, and every lane hears of it', async () => {
    const listener = new SharedListener(queueClientConfig(database.url));
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

  it('does not keep a failed connection', async () => {
    const listener = new SharedListener(queueClientConfig('postgresql://nobody@127.0.0.1:1/x'));
    await expect(listener.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await expect(listener.connect()).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await listener.close();
  });
});
