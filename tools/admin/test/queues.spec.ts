import { lookupPhone } from '@gangan/contracts';
import { Database, migrate, sql } from '@gangan/database';
import { newContext, runInContext } from '@gangan/protocol';
import { migrateQueue, newQueueKey, Queues } from '@gangan/queue';
import { startPostgres, type TestPostgres, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AdminCli } from './support/admin-cli.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const canary = '+2348031234567';

describe('pnpm admin queues', () => {
  const key = newQueueKey();
  let postgres: TestPostgres;
  let database: Database;
  let queues: Queues;
  let admin: AdminCli;

  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    await migrateQueue(postgres.url);
    database = new Database({ url: postgres.url, poolSize: 2 });
    const connection = { kind: 'postgres', url: postgres.url, poolSize: 2 } as const;
    queues = await Queues.open({ connection, keys: [key] }, 'producer', silent);
    admin = new AdminCli({ DATABASE_URL: postgres.url });
    const listens = (): Promise<boolean> =>
      queues.ping().then(
        () => true,
        () => false,
      );
    await until('the queue answers', listens);
  }, 60_000);
  afterAll(async () => {
    await queues.client.close();
    await queues.close();
    await database.close();
    await postgres.stop();
  });

  const job = sql`queue = 'gangan-lookup' AND state = 'waiting'`;
  /** A request that no worker handles, parked as a worker would do; returns the job's id. */
  const park = async (): Promise<string> => {
    const context = newContext({ organisationId: 'acme' });
    const answer = runInContext(context, () => queues.client.send(lookupPhone, { phone: canary }));
    const caller = answer.subscribe();
    const parking = sql`
      UPDATE bullmq.job SET state = 'failed', failed_reason = 'started 3 times and never finished',
        finished_at_ms = added_at_ms, attempts_started = 1 WHERE ${job} RETURNING id`;
    const park = async () => (await database.query<{ id: string }>(parking))[0];
    const parked = await until('the job is stored and parked', park);
    caller.unsubscribe();
    return parked.id;
  };
  const waiting = async (): Promise<unknown[]> => database.query(sql`SELECT id FROM bullmq.job WHERE ${job}`);

  it('lists lanes and their parked jobs', async () => {
    const id = await park();
    expect(await admin.json('queues', 'list')).toContainEqual({
      ...{ lane: 'lookup', waiting: 0, active: 0, delayed: 0 },
      ...{ parked: 1, oldest_seconds: 0, paused: false },
    });
    const parked = await admin.json('queues', 'parked', 'lookup');
    expect(parked).toMatchObject([
      {
        job: id,
        contracts: ['lookup.phone'],
        organisations: ['acme'],
        reason: expect.stringContaining('3 times'),
      },
    ]);
    expect((await admin.run('queues', 'drop', 'lookup', id)).err).toMatch(/cannot be undone.*add --yes/);
    expect(await admin.json('queues', 'drop', 'lookup', id, '--yes')).toEqual({ lane: 'lookup', dropped: 1 });
    expect((await admin.run('queues', 'drop', 'lookup', id, '--yes')).err).toMatch(
      /No job .* is parked in lookup/,
    );
  });

  it('opens the content of a job only with the key, and warns', async () => {
    const id = await park();
    const sealed = await admin.run('queues', 'show', 'lookup', id);
    expect(sealed.code).toBe(0);
    expect(sealed.out).not.toContain(canary);
    expect((await admin.run('queues', 'show', 'lookup', id, '--open')).err).toMatch(/QUEUE_KEY/);
    const other = new AdminCli({ DATABASE_URL: postgres.url, QUEUE_KEY: newQueueKey() });
    expect(await other.run('queues', 'show', 'lookup', id, '--open')).toMatchObject({ code: 1, out: '' });
    const owner = new AdminCli({ DATABASE_URL: postgres.url, QUEUE_KEY: key });
    const opened = await owner.run('queues', 'show', 'lookup', id, '--open');
    expect(opened).toMatchObject({ code: 0, err: expect.stringContaining('Warning: this is customer data') });
    expect(opened.out).toContain(canary);
    await admin.json('queues', 'drop', 'lookup', '--all', '--yes');
  });

  it('replays a request only after confirmation, as no caller waits for it', async () => {
    const id = await park();
    const asked = await admin.run('queues', 'replay', 'lookup', id);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('without a caller') });
    expect(await waiting()).toEqual([]);
    expect(await admin.run('queues', 'replay', 'lookup', '--all', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('QUEUE_KEY'),
    });
    const owner = new AdminCli({ DATABASE_URL: postgres.url, QUEUE_KEY: key });
    expect(await owner.json('queues', 'replay', 'lookup', '--all', '--yes')).toMatchObject({ replayed: 1 });
    expect(await waiting()).toEqual([{ id }]);
  });

  it('names a file of a secret that cannot be read', async () => {
    const other = new AdminCli({ DATABASE_URL: postgres.url, QUEUE_KEY_FILE: '/missing' });
    expect(await other.run('queues', 'list')).toEqual({
      code: 1,
      out: '',
      err: 'QUEUE_KEY_FILE names a file that cannot be read (ENOENT).\n',
    });
  });

  it('pauses and resumes a lane', async () => {
    expect((await admin.run('queues', 'pause', 'lookup')).code).toBe(1);
    await admin.json('queues', 'pause', 'lookup', '--yes');
    expect(await admin.json('queues', 'list')).toContainEqual(expect.objectContaining({ paused: true }));
    await admin.json('queues', 'resume', 'lookup');
    expect(await admin.json('queues', 'list')).not.toContainEqual(expect.objectContaining({ paused: true }));
  });

  it('says when there is no broker', async () => {
    const nowhere = new AdminCli({ DATABASE_URL: postgres.url, REDIS_URL: 'redis://127.0.0.1:1' });
    expect(await nowhere.run('queues', 'list')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^The queue does not answer .*REDIS_URL\.\n$/),
    });
  });
});
