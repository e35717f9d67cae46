import 'reflect-metadata';
import { sql } from '@gangan/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { TestHolders } from './support/test-holders.js';

describe('LeaseTakeover', () => {
  let holders: TestHolders;
  beforeAll(async () => {
    holders = await TestHolders.open();
  }, 60_000);
  afterAll(() => holders.close());
  beforeEach(() => holders.reset());

  it('makes the rows of a dead process due, and leaves those of others alone', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a', 'b']);
    await holders.claim(living, ['c']);
    await holders.pass(11, [living]);
    await living.takeover.sweep();
    expect(await holders.due()).toEqual(['a', 'b']);
    expect(await holders.registered()).toEqual([living.holder.id]);
    expect(await holders.takenOver(living)).toBe(2);
    expect(living.warnings).toEqual(['a process has died: its leases were taken over']);
  });

  it('leaves a process alone whose heartbeat is not old enough', async () => {
    const [slow, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(slow, ['a']);
    await holders.pass(9, [living]);
    await living.takeover.sweep();
    expect(await holders.due()).toEqual([]);
    expect(await holders.registered()).toContain(slow.holder.id);
  });

  it('leaves the processes of other apps to those apps', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('other')];
    await holders.claim(dead, ['a']);
    await holders.pass(30, [living]);
    await living.takeover.sweep();
    expect(await holders.registered()).toContain(dead.holder.id);
  });

  it('lets a process that has just started take over, if a process of any app has been there all the time', async () => {
    const [dead, other] = [await holders.start('worker'), await holders.start('other')];
    await holders.claim(dead, ['a']);
    await holders.pass(12, [other]);
    const successor = await holders.start('worker');
    await successor.takeover.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('takes nothing over after an outage of the database, in which no process could write its heartbeat', async () => {
    const processes = [await holders.start('worker'), await holders.start('worker')];
    for (const [index, process] of processes.entries()) await holders.claim(process, ['abc'.charAt(index)]);
    await holders.restartDatabase();
    await holders.pass(60, []);
    for (const { takeover } of processes) await takeover.sweep();
    for (const { holder, takeover } of processes) {
      await holder.beat();
      for (const other of processes) await other.takeover.sweep();
      await takeover.sweep();
    }
    expect(await holders.due()).toEqual([]);
    expect(await holders.registered()).toHaveLength(2);
  });

  it('takes over after an outage from a process that did not survive it', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a']);
    await holders.pass(60, []);
    await living.holder.beat();
    await holders.pass(11, [living]);
    await living.takeover.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('lets one of several processes take over', async () => {
    const dead = await holders.start('worker');
    const living = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a', 'b']);
    await holders.pass(11, living);
    await Promise.all(living.map(({ takeover }) => takeover.sweep()));
    const taken = await Promise.all(living.map((process) => holders.takenOver(process)));
    expect(taken.toSorted()).toEqual([0, 2]);
  });

  it('gives a process that returns a new id, and does not let it change rows that were claimed since', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    const former = stopped.holder.id;
    const row = await holders.claimOne(stopped, 'a');
    await holders.pass(30, [living]);
    await living.takeover.sweep();
    await holders.claim(living, ['a']);
    await stopped.holder.beat();
    expect(stopped.holder.id).not.toBe(former);
    expect(stopped.warnings).toHaveLength(1);
    expect(await holders.finish(row)).toBe(false);
    expect(new Set(await holders.registered())).toEqual(new Set([living.holder.id, stopped.holder.id]));
  });

  it('lets a process that returns finish a row that no other has claimed since', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(stopped, 'a');
    await holders.pass(30, [living]);
    await living.takeover.sweep();
    expect(await holders.finish(row)).toBe(true);
  });

  it('gives up its leases when the process stops', async () => {
    const stopping = await holders.start('worker');
    await holders.claim(stopping, ['a']);
    await stopping.takeover.onApplicationShutdown();
    expect(await holders.due()).toEqual(['a']);
    expect(await holders.registered()).toEqual([]);
  });

  it('does not end the leases of rows that wait for their next attempt', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(dead, 'a');
    await holders.release(row, 3_600_000);
    await holders.pass(11, [living]);
    await living.takeover.sweep();
    expect(await holders.due()).toEqual([]);
  });

  it('keeps the process registered if its rows cannot be taken over', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a']);
    await holders.pass(11, [living]);
    await holders.database.execute(sql`ALTER TABLE job RENAME TO gone`);
    await expect(living.takeover.sweep()).rejects.toThrow('job');
    await holders.database.execute(sql`ALTER TABLE gone RENAME TO job`);
    expect(await holders.registered()).toContain(dead.holder.id);
    await living.takeover.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  describe('with the clock of a process ten minutes off', () => {
    afterEach(() => {
      jest.restoreAllMocks();
    });
    it.each([-600_000, 600_000])('by %d ms, decides by the clock of the database', async (offMs) => {
      const now = Date.now.bind(Date);
      const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
      jest.spyOn(Date, 'now').mockImplementation(() => now() + offMs);
      await holders.claim(dead, ['a']);
      await holders.claim(living, ['b']);
      await living.takeover.sweep();
      expect(await holders.due()).toEqual([]);
      await holders.pass(11, [living]);
      await living.takeover.sweep();
      expect(await holders.due()).toEqual(['a']);
    });
  });
});
