import 'reflect-metadata';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { TestHolders } from './support/test-holders.js';

describe('LeaseTakeover', () => {
  let holders: TestHolders;
  beforeAll(async () => {
    holders = await TestHolders.open();
  });
  afterAll(() => holders.close());
  beforeEach(() => holders.reset());

  it('makes the rows of a dead process due, and leaves those of others alone', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a', 'b']);
    await holders.claim(living, ['c']);
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual(['a', 'b']);
    expect(await holders.registered()).toEqual([living.holder.id]);
    expect(await holders.takenOver(living)).toBe(2);
    expect(holders.endings).toEqual([{ holder: dead.holder.id, hasDied: true }]);
    expect(living.warnings).toEqual(['a process has died: its leases were taken over']);
  });

  describe('a process whose connection was closed', () => {
    it('is dead after six seconds without a heartbeat', async () => {
      const [living, dead] = [await holders.start('worker'), await holders.start('worker')];
      await holders.claim(dead, ['a']);
      await dead.kill();
      await holders.pass(5, [living]);
      await living.sweep();
      expect(await holders.due()).toEqual([]);
      await holders.pass(2, [living]);
      await living.sweep();
      expect(await holders.due()).toEqual(['a']);
    });

    it('is taken over at once if a process of any app has kept its connection', async () => {
      const [other, dead] = [await holders.start('other'), await holders.start('worker')];
      await holders.claim(dead, ['a']);
      await dead.kill();
      const successor = await holders.start('worker');
      await successor.sweep();
      expect(await holders.due()).toEqual([]);
      await holders.pass(7, [other, successor]);
      await successor.sweep();
      expect(await holders.due()).toEqual(['a']);
    });

    it('is taken over after the usual time if no process has kept its connection', async () => {
      const dead = await holders.start('worker');
      await holders.claim(dead, ['a']);
      await dead.kill();
      await holders.pass(1, []);
      const successor = await holders.start('worker');
      await holders.pass(8, [successor]);
      await successor.sweep();
      expect(await holders.due()).toEqual([]);
      await holders.pass(6, [successor]);
      await successor.sweep();
      expect(await holders.due()).toEqual(['a']);
    });

    it('keeps its leases if it writes its next heartbeat over another connection', async () => {
      const [living, cut] = [await holders.start('worker'), await holders.start('worker')];
      await holders.claim(cut, ['a']);
      await holders.cut(cut);
      await holders.pass(2, [living]);
      await cut.beat();
      await holders.pass(5, [living]);
      await living.sweep();
      expect(await holders.due()).toEqual([]);
      expect(await holders.registered()).toHaveLength(2);
    });

    it('is taken over after the usual time if only processes of an older version are left', async () => {
      const [old, dead] = [await holders.start('other'), await holders.start('worker')];
      await holders.claim(dead, ['a']);
      await dead.kill();
      const successor = await holders.start('worker');
      for (let seconds = 0; seconds < 8; seconds += 2) {
        await holders.pass(2, [old, successor]);
        await holders.forgetConnection(old);
      }
      await successor.sweep();
      expect(await holders.due()).toEqual([]);
    });

    it('keeps its leases if a restart of the database closed all connections', async () => {
      const processes = [await holders.start('worker'), await holders.start('worker')] as const;
      await holders.claim(processes[0], ['a']);
      await holders.restartDatabase();
      await holders.pass(8, []);
      await processes[1].beat();
      await processes[1].sweep();
      expect(await holders.due()).toEqual([]);
    });
  });

  it('does not treat a silent but connected process as dead', async () => {
    const [living, blocked] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(blocked, ['a']);
    await holders.pass(11, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual([]);
  });

  it('does not take over from processes of other apps', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('other')];
    await holders.claim(dead, ['a']);
    await holders.pass(30, [living]);
    await living.sweep();
    expect(await holders.registered()).toContain(dead.holder.id);
  });

  it('lets a new process take over if a process of any app has run all the time', async () => {
    const [dead, other] = [await holders.start('worker'), await holders.start('other')];
    await holders.claim(dead, ['a']);
    await holders.pass(12, [other]);
    const successor = await holders.start('worker');
    await holders.pass(4, [other, successor]);
    await successor.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('takes nothing over after an outage of the database in which no process could write a heartbeat', async () => {
    const processes = [await holders.start('worker'), await holders.start('worker')];
    for (const [index, process] of processes.entries()) await holders.claim(process, ['abc'.charAt(index)]);
    await holders.restartDatabase();
    await holders.pass(60, []);
    for (const process of processes) await process.sweep();
    for (const process of processes) {
      await process.beat();
      for (const other of processes) await other.sweep();
    }
    expect(await holders.due()).toEqual([]);
    expect(await holders.registered()).toHaveLength(2);
  });

  it('takes over after an outage from a process that did not survive it', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a']);
    await holders.pass(60, []);
    await living.beat();
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('lets only one of several processes take over', async () => {
    const dead = await holders.start('worker');
    const living = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a', 'b']);
    await holders.pass(13, living);
    await Promise.all(living.map((process) => process.sweep()));
    const taken = await Promise.all(living.map((process) => holders.takenOver(process)));
    expect(taken.toSorted()).toEqual([0, 2]);
  });

  it('lets a returning process hold leases again, but not change rows that were claimed since', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(stopped, 'a');
    await holders.pass(30, [living]);
    await living.sweep();
    await holders.claim(living, ['a']);
    await stopped.beat();
    expect(stopped.warnings).toEqual([
      'this process sent no heartbeat for too long; another process took over its leases',
    ]);
    expect(await holders.finish(row)).toBe(false);
    expect(await holders.registered()).toHaveLength(2);
  });

  it('lets a returning process finish a row that no other has claimed since', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(stopped, 'a');
    await holders.pass(30, [living]);
    await living.sweep();
    expect(await holders.finish(row)).toBe(true);
  });

  it('gives up its leases when the process stops', async () => {
    const stopping = await holders.start('worker');
    await holders.claim(stopping, ['a']);
    await stopping.stop();
    expect(await holders.due()).toEqual(['a']);
    expect(holders.endings).toEqual([{ holder: stopping.holder.id, hasDied: false }]);
    expect(await holders.registered()).toEqual([]);
  });

  it('does not end the leases of rows that wait for their next attempt', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(dead, 'a');
    await holders.release(row, 3_600_000);
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual([]);
  });

  it('keeps the process registered if its rows cannot be taken over', async () => {
    const [dead, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(dead, ['a']);
    await holders.pass(13, [living]);
    await holders.database.execute(sql`ALTER TABLE job RENAME TO gone`);
    await living.sweep();
    expect(living.warnings).toEqual(['could not take over the leases of a dead process; it will be retried']);
    await holders.database.execute(sql`ALTER TABLE gone RENAME TO job`);
    expect(await holders.registered()).toContain(dead.holder.id);
    await living.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('writes a heartbeat while all connections of the process are in use', async () => {
    const process = await holders.start('worker');
    await holders.occupyConnections(async () => {
      await process.beat();
    });
  });

  it('leaves a process alone whose event loop was blocked for as long as the watchdog allows', async () => {
    const [blocked, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(blocked, ['a']);
    await holders.pass(16, [living]);
    // EVENT_LOOP_TIMEOUT_SECONDS, and the time between two heartbeats.
    await holders.silence(blocked, 10 + 1);
    await living.sweep();
    expect(await holders.due()).toEqual([]);
  });

  it('does not wait for locked rows, and takes over from other processes meanwhile', async () => {
    const [first, second] = await holders.startInOrder('worker');
    const living = await holders.start('worker');
    await holders.claim(first, ['a']);
    await holders.claim(second, ['b']);
    await holders.pass(13, [living]);
    await holders.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM job WHERE id = 'a' FOR UPDATE`);
      await living.sweep();
      expect(await holders.due()).toEqual(['b']);
    });
    await living.sweep();
    expect(await holders.due()).toEqual(['a', 'b']);
  });

  it('takes over what a process claims before it notices that its leases were taken over', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.pass(30, [living]);
    await living.sweep();
    await holders.claim(stopped, ['a']);
    await stopped.beat();
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('takes over what a process has renewed since its leases were taken over', async () => {
    const [stopped, living] = [await holders.start('worker'), await holders.start('worker')];
    const row = await holders.claimOne(stopped, 'a');
    await holders.pass(30, [living]);
    await living.sweep();
    await holders.renew(stopped, row);
    await stopped.beat();
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual(['a']);
  });

  it('takes over what a process claims while its leases are taken over', async () => {
    const [slow, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(slow, ['a']);
    await holders.pass(13, [living]);
    await holders.database.transaction(async (transaction) => {
      await holders.claim(slow, ['b'], transaction);
      await living.sweep();
      expect(await holders.due()).toEqual(['a']);
    });
    await slow.beat();
    await holders.pass(13, [living]);
    await living.sweep();
    expect(await holders.due()).toEqual(['a', 'b']);
  });

  /** When the statement began that waits for a lock. */
  const waitingSince = async (): Promise<Date | undefined> => {
    const [waiting] = await holders.database.query<{ since: Date }>(sql`
      SELECT query_start AS since FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()`);
    return waiting?.since;
  };

  it('repeats a heartbeat at once that got no reply in time', async () => {
    const process = await holders.start('worker');
    const beating = await holders.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM lease_holder WHERE id = ${process.holder.id} FOR UPDATE`);
      const beat = process.beat();
      const first = await until('the first try waits for the row', waitingSince);
      await until('the second try waits for it', async () => ((await waitingSince()) ?? first) > first);
      return { beat };
    });
    await expect(beating.beat).resolves.toBe(false);
  });

  it('leaves a process alone that is writing its heartbeat', async () => {
    const [late, living] = [await holders.start('worker'), await holders.start('worker')];
    await holders.claim(late, ['a']);
    await holders.pass(13, [living]);
    await holders.database.transaction(async (transaction) => {
      await transaction.execute(
        sql`UPDATE lease_holder SET heartbeat_at = now() WHERE id = ${late.holder.id}`,
      );
      await living.sweep();
    });
    await living.sweep();
    expect(await holders.due()).toEqual([]);
    expect(living.warnings).toEqual([]);
  });

  it('leaves a process alone that has written a heartbeat since it was found', async () => {
    const [dead, late] = await holders.startInOrder('worker');
    const living = await holders.start('worker');
    await holders.claim(dead, ['a']);
    await holders.claim(late, ['b']);
    await holders.pass(13, [living]);
    // The sweep has found both, and waits for the row of the first.
    const sweeping = await holders.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM job WHERE id = 'a' FOR UPDATE`);
      const sweep = living.sweep();
      await holders.untilLocked();
      await late.beat();
      return { sweep };
    });
    await sweeping.sweep;
    expect(await holders.registered()).toContain(late.holder.id);
    expect(await holders.due()).not.toContain('b');
  });

  it('lets a process that was paused wait before it takes over from others', async () => {
    const [first, second] = [await holders.start('worker'), await holders.start('worker')];
    const other = await holders.start('other');
    await holders.claim(first, ['a']);
    await holders.claim(second, ['b']);
    await holders.pass(30, [other]);
    await first.sweep();
    await first.beat();
    await first.sweep();
    await second.beat();
    await second.sweep();
    expect(await holders.due()).toEqual([]);
  });
});
