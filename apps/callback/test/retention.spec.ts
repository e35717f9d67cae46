import { sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { firstIdAt } from '@gangan/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from '@gangan/runtime';
import type { TestingModule } from '@gangan/testing';
import { CallbackRepository } from '../src/callback.repository.js';
import { FailingHosts } from '../src/retention/failing-hosts.js';
import { UndeliveredCallbacks } from '../src/retention/undelivered-callbacks.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let organisation: string;
/** Keeps callbacks for 30 days, and responses for 7. */
let worker: TestingModule;
let pruner: Retention;

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
  worker = await callbacks.module();
  pruner = worker.get(Retention);
});
beforeEach(async () => {
  organisation = await callbacks.organisation();
});
afterAll(() => callbacks.close());

/** A callback created, ended and attempted so many days ago. */
async function callback(days: { made: number; ended?: number }, state = 'delivered'): Promise<string> {
  const [id = ''] = await callbacks.record(organisation, 'https://example.com/');
  const ended = days.ended ?? null;
  await callbacks.database.execute(sql`
    UPDATE callback SET created_at = now() - ${days.made}::float8 * interval '1 day',
      due_since = now() - ${days.made}::float8 * interval '1 day',
      ended_at = now() - ${ended}::float8 * interval '1 day', state = ${state}::callback_state,
      next_attempt_at = CASE WHEN ${state} = 'pending' THEN now() + interval '1 day' END
    WHERE id = ${id}`);
  await callbacks.database.execute(sql`
    INSERT INTO callback_attempt (callback_id, attempt, status, answer, started_at, ended_at)
    SELECT ${id}, 1, 500, 'oops'::bytea, moment, moment
    FROM (SELECT now() - ${ended ?? days.made}::float8 * interval '1 day' AS moment) AS long_ago`);
  return id;
}

const left = async (id: string): Promise<string | undefined> => {
  const [row] = await callbacks.database.query<{ state: string }>(
    sql`SELECT state FROM callback WHERE id = ${id}`,
  );
  return row?.state;
};

describe('retention', () => {
  it('deletes callbacks earlier for an organisation that keeps them for less time', async () => {
    const others = await callback({ made: 20, ended: 11 });
    organisation = await callbacks.organisation();
    await callbacks.database.organisationRetention.create({
      data: { kind: 'callbacks', organisationId: organisation, days: 10 },
    });
    /** The id has the time of the creation. */
    const aged = async (made: number, ended?: number, state?: string): Promise<string> => {
      const id = await callback({ made, ...(ended !== undefined && { ended }) }, state);
      const older = firstIdAt(new Date(Date.now() - made * 86_400_000));
      const moved = older.slice(0, 24) + id.slice(24);
      await callbacks.database.execute(sql`DELETE FROM callback_attempt WHERE callback_id = ${id}`);
      await callbacks.database.execute(sql`UPDATE callback SET id = ${moved}::uuid WHERE id = ${id}`);
      return moved;
    };
    const old = await aged(20, 11);
    const endedLater = await aged(20, 9);
    const waiting = await aged(20, undefined, 'pending');
    await pruner.prune();
    expect(await Promise.all([old, endedLater, waiting, others].map(left))).toEqual([
      ...[undefined, 'delivered', 'pending', 'delivered'],
    ]);
  });

  it('deletes old callbacks with their attempts, and fails undelivered ones', async () => {
    const old = await callback({ made: 40, ended: 31 });
    const recent = await callback({ made: 40, ended: 29 });
    const failed = await callback({ made: 60, ended: 31 }, 'failed');
    const hopeless = await callback({ made: 31 }, 'pending');
    const waiting = await callback({ made: 29 }, 'pending');
    expect(await pruner.prune()).toBe(false);
    expect(await worker.get(UndeliveredCallbacks).fail()).toBe(false);
    expect(await Promise.all([old, recent, failed, hopeless, waiting].map(left))).toEqual([
      ...[undefined, 'delivered', undefined],
      ...['failed', 'pending'],
    ]);
    expect(await callbacks.attemptsOf(old)).toEqual([]);
    expect(await callbacks.attemptsOf(recent)).toHaveLength(1);
  });

  it('counts and logs undelivered callbacks, also resent ones when they expire again', async () => {
    const counting = await callbacks.module();
    const undelivered = counting.get(UndeliveredCallbacks);
    const id = await callback({ made: 31 }, 'pending');
    await undelivered.fail();
    expect(await left(id)).toBe('failed');
    await counting.get(CallbackRepository).makeDue({ id, organisationId: organisation });
    await undelivered.fail();
    expect(await left(id)).toBe('pending');
    await callbacks.database.execute(sql`
      UPDATE callback SET attempt = 3, earlier_attempts = 3, due_since = now() - interval '31 days'
      WHERE id = ${id}`);
    await undelivered.fail();
    expect(await left(id)).toBe('failed');
    expect(await counting.get(Registry).metrics()).toContain(
      'gangan_callback_ended_total{outcome="given_up"} 2',
    );
    expect(callbacks.log.lines).toContainEqual(
      expect.objectContaining({
        message: expect.stringContaining('undelivered for too long'),
        details: { count: 1, afterDays: 30 },
      }),
    );
  });

  it('deletes responses sooner', async () => {
    const [older, newer] = [await callback({ made: 9, ended: 8 }), await callback({ made: 9, ended: 6 })];
    await pruner.prune();
    expect(await callbacks.attemptsOf(older)).toMatchObject([{ status: 500, answerBytes: null }]);
    expect(await callbacks.attemptsOf(newer)).toMatchObject([{ status: 500, answerBytes: 4 }]);
  });

  it('reports that there is more to do', async () => {
    await callbacks.record(organisation, 'https://example.com/', 501);
    await callbacks.database.execute(sql`
      UPDATE callback SET state = 'gone', next_attempt_at = NULL, ended_at = now() - interval '99 days'
      WHERE organisation_id = ${organisation}`);
    expect([await pruner.prune(), await pruner.prune()]).toEqual([true, false]);
  });
});

describe('a failing host', () => {
  const fail = (host: string, hours: number) =>
    callbacks.database.execute(sql`
      INSERT INTO callback_host (organisation_id, host, pace_ms, failing_since)
      VALUES (${organisation}, ${host}, 10, now() - ${hours}::int * interval '1 hour')`);

  it('is reported by one worker once a day while it has pending callbacks', async () => {
    await fail('long.example', 2);
    await fail('short.example', 0);
    await fail('left.example', 2);
    await callbacks.record(organisation, 'https://long.example/');
    await callbacks.record(organisation, 'https://short.example/');
    const workers = [worker, await callbacks.module()];
    const reporters = workers.map((each) => each.get(FailingHosts));
    for (const reporter of [...reporters, ...reporters]) await reporter.report();
    const reported = () =>
      callbacks.log.lines.filter(({ message }) => message.includes('accepts no callbacks'));
    expect(reported()).toHaveLength(1);
    expect(reported()).toMatchObject([{ details: { organisationId: organisation, host: 'long.example' } }]);
    for (const each of workers) {
      expect(await each.get(Registry).metrics()).toContain('gangan_callback_failing_hosts 2');
    }
    await callbacks.database.execute(sql`UPDATE callback_host SET reported_at = now() - interval '25 hours'`);
    await reporters[0]?.report();
    expect(reported()).toHaveLength(2);
  });
});
