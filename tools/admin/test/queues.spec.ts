import { sql } from '@gangan/database';
import { newQueueKey } from '@gangan/queue';
import { isFullSuite } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';
import { QueueFixture } from './support/queue-fixture.js';

const canary = '+2348031234567';

describe('pnpm admin queues', () => {
  const fixture = AdminFixture.use();
  const admin = fixture.cli();
  let queue: QueueFixture;

  beforeAll(async () => {
    queue = await QueueFixture.open(fixture);
  });

  const park = () => queue.park(canary);
  const waiting = (): Promise<unknown[]> =>
    fixture.database.query(
      sql`SELECT id FROM bullmq.job WHERE queue = 'gangan-lookup' AND state = 'waiting'`,
    );

  it('lists lanes and their parked jobs', async () => {
    const id = await park();
    expect(await admin.json('queues', 'list')).toContainEqual({
      lane: 'lookup',
      waiting: 0,
      active: 0,
      delayed: 0,
      parked: 1,
      oldest_seconds: 0,
      paused: false,
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
    expect((await admin.run('queues', 'show', 'lookup', id, '--open')).err).toMatch(/QUEUE_MASTER_KEY/);
    const other = fixture.cli({ QUEUE_MASTER_KEY: newQueueKey() });
    expect(await other.run('queues', 'show', 'lookup', id, '--open')).toMatchObject({ code: 1, out: '' });
    const owner = fixture.cli({ QUEUE_MASTER_KEY: queue.key });
    const opened = await owner.run('queues', 'show', 'lookup', id, '--open');
    expect(opened).toMatchObject({ code: 0, err: expect.stringContaining('Warning: this is customer data') });
    expect(opened.out).toContain(canary);
    await admin.json('queues', 'drop', 'lookup', '--all', '--yes');
  });

  it('replays a request only after confirmation, because no caller waits for it', async () => {
    const id = await park();
    const asked = await admin.run('queues', 'replay', 'lookup', id);
    expect(asked).toMatchObject({ code: 1, err: expect.stringContaining('without a caller') });
    expect(await waiting()).toEqual([]);
    expect(await admin.run('queues', 'replay', 'lookup', '--all', '--yes')).toMatchObject({
      code: 1,
      err: expect.stringContaining('QUEUE_MASTER_KEY'),
    });
    const owner = fixture.cli({ QUEUE_MASTER_KEY: queue.key });
    expect(await owner.json('queues', 'replay', 'lookup', '--all', '--yes')).toMatchObject({ replayed: 1 });
    expect(await waiting()).toEqual([{ id }]);
  });

  it('replays what can be opened, and counts the rest', async () => {
    const ids = [await park(), await park()];
    const other = await QueueFixture.open(fixture);
    const unopened = await other.park(canary);
    const owner = fixture.cli({ QUEUE_MASTER_KEY: queue.key });
    const { code, out, err } = await owner.run('queues', 'replay', 'lookup', '--all', '--yes', '--json');
    expect([code, JSON.parse(out), err.includes('stay parked')]).toEqual([
      1,
      { lane: 'lookup', replayed: 2, unopened: 1 },
      true,
    ]);
    expect(await waiting()).toEqual(expect.arrayContaining(ids.map((id) => ({ id }))));
    expect(await admin.json('queues', 'parked', 'lookup')).toMatchObject([{ job: unopened }]);
    await admin.json('queues', 'drop', 'lookup', unopened, '--yes');
  });

  it('does not replay what another version sent', async () => {
    const id = await park();
    await fixture.database.execute(
      sql`UPDATE bullmq.job SET data = jsonb_set(data::jsonb, '{v}', '1') WHERE id = ${id}`,
    );
    const owner = fixture.cli({ QUEUE_MASTER_KEY: queue.key });
    for (const job of [id, '--all'])
      expect(await owner.run('queues', 'replay', 'lookup', job, '--yes')).toMatchObject({ code: 1 });
    expect(await waiting()).not.toContainEqual({ id });
    await admin.json('queues', 'drop', 'lookup', id, '--yes');
  });

  it('names a file of a secret that cannot be read', async () => {
    const other = fixture.cli({ QUEUE_MASTER_KEY_FILE: '/missing' });
    expect(await other.run('queues', 'list')).toEqual({
      code: 1,
      out: '',
      err: 'QUEUE_MASTER_KEY_FILE names a file that cannot be read (ENOENT).\n',
    });
  });

  it('pauses and resumes a lane', async () => {
    expect((await admin.run('queues', 'pause', 'lookup')).code).toBe(1);
    await admin.json('queues', 'pause', 'lookup', '--yes');
    expect(await admin.json('queues', 'list')).toContainEqual(expect.objectContaining({ paused: true }));
    await admin.json('queues', 'resume', 'lookup');
    expect(await admin.json('queues', 'list')).not.toContainEqual(expect.objectContaining({ paused: true }));
  });

  // The command waits for some seconds.
  if (isFullSuite)
    it('reports that there is no broker', async () => {
      const nowhere = fixture.cli({ REDIS_URL: 'redis://127.0.0.1:1' });
      expect(await nowhere.run('queues', 'list')).toMatchObject({
        code: 1,
        err: expect.stringMatching(/^The queue does not answer .*REDIS_URL\.\n$/),
      });
    });
});
