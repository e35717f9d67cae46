import { setTimeout as pause } from 'node:timers/promises';
import { sql } from '@gangan/database';
import { CallbackConsumer, isFullSuite, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { breaker } from '../src/attempts/attempt.repository.js';
import { Sweeper } from '../src/dispatch/sweeper.js';
import { TestCallbacks } from './support/test-callbacks.js';

let callbacks: TestCallbacks;
let organisation: string;
const consumers: CallbackConsumer[] = [];

beforeAll(async () => {
  callbacks = await TestCallbacks.open();
});
beforeEach(async () => {
  organisation = await callbacks.organisation();
});
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.stop();
  await callbacks.endWorkers();
});
afterAll(() => callbacks.close());

async function meet(answer: Parameters<typeof CallbackConsumer.start>[0]) {
  const consumer = await CallbackConsumer.start(answer);
  consumers.push(consumer);
  return { consumer, url: `http://127.0.0.1:${consumer.port}/` };
}

const countOf = async (state: string, attempts: number, owner = organisation): Promise<number> => {
  const rows = await callbacks.database.query(sql`
    SELECT id FROM callback
    WHERE organisation_id = ${owner} AND state = ${state}::callback_state AND attempt = ${attempts}`);
  return rows.length;
};

/** When the circuit of the host lets a call pass again. */
const openUntil = async (moment: 'now' | 'later'): Promise<void> => {
  await callbacks.database.execute(sql`
    UPDATE callback_host SET open_until = now() + ${moment === 'now' ? 0 : 1}::int * interval '1 hour'
    WHERE organisation_id = ${organisation}`);
};

describe('the limit of a host', () => {
  it('applies to all workers together', async () => {
    const [here, there] = [
      await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 3 }),
      await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 3 }),
    ];
    let [atOnce, most] = [0, 0];
    const { consumer, url } = await meet((_request, response) => {
      most = Math.max(most, (atOnce += 1));
      setTimeout(() => {
        atOnce -= 1;
        response.end();
      }, 40);
    });
    const ids = await callbacks.record(organisation, url, 60);
    callbacks.announce(here, ids);
    callbacks.announce(there, ids);
    await until(
      'all callbacks of the healthy host are delivered',
      async () => (await countOf('delivered', 1)) === ids.length,
    );
    expect(most).toBe(3);
    expect(consumer.seen.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
  });
});

describe('callbacks that are claimed ahead', () => {
  afterEach(() => callbacks.database.execute(sql`TRUNCATE callback CASCADE`));

  const waiting = () => countOf('pending', 0);
  const claimed = async (): Promise<number> => {
    const rows = await callbacks.database.query(sql`
      SELECT id FROM callback WHERE organisation_id = ${organisation} AND leased_until IS NOT NULL`);
    return rows.length;
  };
  const interrupted = () => callbacks.database.callbackAttempt.count({ where: { error: 'interrupted' } });

  /** A host that has answered this many callbacks, and then does something else. */
  const serve = async (answers: number, then: Parameters<typeof meet>[0]) => {
    const worker = await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 2 });
    let mostClaimed = 0;
    let counting = Promise.resolve();
    const { consumer, url } = await meet((request, response) => {
      counting = claimed().then((count) => void (mostClaimed = Math.max(mostClaimed, count)));
      if (consumer.seen.length > answers) then(request, response);
      else response.end();
    });
    const ids = await callbacks.record(organisation, url, answers + 40);
    callbacks.announce(worker, ids);
    await until('the host has answered', async () => (await countOf('delivered', 1)) === answers);
    /** More than are in flight. Counted at each request, because claims may soon be given back. */
    const untilClaimedAhead = () =>
      until('callbacks are claimed ahead', () => counting.then(() => mostClaimed > 2));
    const called = (): number =>
      new Set(consumer.seen.slice(answers).map(({ headers }) => headers['webhook-id'])).size;
    return { worker, untilClaimedAhead, called };
  };

  it('lose no attempt when the host fails', async () => {
    const { called } = await serve(30, (_request, response) => response.writeHead(503).end());
    await until('the circuit opens', () => called() >= breaker.failures);
    const untilNothingIsClaimed = () => until('nothing is claimed', async () => (await claimed()) === 0);
    await untilNothingIsClaimed();
    // From here on the circuit lets no test call pass.
    await openUntil('later');
    await untilNothingIsClaimed();
    expect(await waiting()).toBe(40 - called());
    expect(called()).toBeLessThan(40);
  });

  it('are given back when the host hangs', async () => {
    const { untilClaimedAhead } = await serve(30, () => undefined);
    await untilClaimedAhead();
    await until('only those in flight are claimed', async () => (await claimed()) === 2);
    expect(await waiting()).toBe(38);
  });

  it('are given back when the worker stops', async () => {
    const { worker, untilClaimedAhead } = await serve(
      30,
      (_request, response) => void setTimeout(() => response.end(), 500),
    );
    await untilClaimedAhead();
    await worker.close();
    expect([await claimed(), await interrupted()]).toEqual([0, 0]);
    expect((await waiting()) + (await countOf('delivered', 1))).toBe(70);
  });
});

describe('a host that keeps failing', () => {
  const failures = async (): Promise<number> => {
    const [known] = await callbacks.database.query<{ failures: number }>(sql`
      SELECT failures FROM callback_host WHERE organisation_id = ${organisation}`);
    return known?.failures ?? 0;
  };

  it('gets no attempts, then one as a test, then all, and waiting callbacks lose no attempt', async () => {
    const worker = await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 1 });
    /** The full suite waits for the periodic one. */
    const sweep = () => (isFullSuite ? pause(1_600) : worker.get(Sweeper).sweep());
    let ill = true;
    const { consumer, url } = await meet((_request, response) => response.writeHead(ill ? 503 : 200).end());
    const ids = await callbacks.record(organisation, url, 20);
    callbacks.announce(worker, ids);
    await until('the breaker opens', async () => (await failures()) === breaker.failures);
    await openUntil('later');
    expect(callbacks.log.lines).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('a host keeps failing') }),
    );
    callbacks.announce(worker, ids);
    await sweep();
    expect(consumer.seen).toHaveLength(breaker.failures);
    expect(await countOf('pending', 0)).toBe(ids.length - breaker.failures);
    const text = (await callbacks.metrics[0]?.metrics()) ?? '';
    expect(text).toMatch(/gangan_callback_postponed_total\{because="breaker"\} [1-9]/);
    expect(text).toMatch(/gangan_callback_postponed_hosts 1/);

    await openUntil('now');
    await sweep();
    await until('the trial call fails', async () => (await failures()) === breaker.failures + 1);
    await openUntil('later');
    expect(consumer.seen).toHaveLength(breaker.failures + 1);

    ill = false;
    await openUntil('now');
    await callbacks.hurry(ids);
    await sweep();
    await until(
      'all callbacks are delivered',
      async () => (await countOf('delivered', 1)) + (await countOf('delivered', 2)) === ids.length,
    );
    expect(await failures()).toBe(0);
  });

  it('is blocked for one organisation only', async () => {
    const worker = await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 1 });
    const neighbour = await callbacks.organisation();
    const { url } = await meet((request, response) =>
      response.writeHead(request.url === '/ill' ? 500 : 200).end(),
    );
    callbacks.announce(worker, await callbacks.record(organisation, `${url}ill`, 8));
    await until('the breaker opens', async () => (await failures()) === breaker.failures);
    await openUntil('later');
    const [id = ''] = await callbacks.record(neighbour, url);
    callbacks.announce(worker, [id]);
    await until('the callback is delivered', async () => (await callbacks.stored(id)).state === 'delivered');
    expect(await countOf('pending', 0)).toBe(8 - breaker.failures);
  });
});

describe('hosts that hang', () => {
  /** The full suite has the default pools. */
  const pools = isFullSuite ? {} : { CALLBACK_CONCURRENCY: 8, CALLBACK_SLOW_CONCURRENCY: 2 };
  const hosts = isFullSuite ? 450 : 24;
  /** Half of the fast pool, and half of the late attempts. */
  const part = isFullSuite ? 32 + 128 : 4 + 4;
  const leased = async (): Promise<number> => {
    const rows = await callbacks.database.query(sql`
      SELECT id FROM callback WHERE organisation_id = ${organisation} AND leased_until IS NOT NULL`);
    return rows.length;
  };

  it('do not occupy the slots of other hosts', async () => {
    const worker = await callbacks.worker({ CALLBACK_CONCURRENCY: 4, CALLBACK_SLOW_CONCURRENCY: 4 });
    const silent = await Promise.all(Array.from({ length: 6 }, () => meet(() => undefined)));
    const hanging = await Promise.all(silent.map(({ url }) => callbacks.record(organisation, url, 3)));
    callbacks.announce(worker, hanging.flat());
    await until(
      'two silent hosts are called',
      () => silent.filter(({ consumer }) => consumer.seen.length > 0).length >= 2,
    );
    const { url } = await meet((_request, response) => response.end());
    const ids = await callbacks.record(organisation, url, 30);
    callbacks.announce(worker, ids);
    await until('all callbacks are delivered', async () => (await countOf('delivered', 1)) === ids.length);
    const states = await Promise.all(hanging.flat().map((id) => callbacks.stored(id)));
    expect(states.filter(({ leased }) => leased).length).toBeGreaterThanOrEqual(2);
    expect(states.filter(({ attempt, leased }) => attempt > 0 && !leased)).toEqual([]);
    await callbacks.database.execute(sql`UPDATE callback SET next_attempt_at = now() + interval '1 day'
      WHERE organisation_id = ${organisation} AND state = 'pending'`);
    for (const { consumer } of silent) await consumer.stop();
    consumers.splice(0, silent.length);
  });

  it('occupy only their share, so that another organisation is served', async () => {
    const worker = await callbacks.worker(pools);
    const silent = await Promise.all(Array.from({ length: hosts }, () => meet(() => undefined)));
    const hanging = await Promise.all(silent.map(({ url }) => callbacks.record(organisation, url)));
    callbacks.announce(worker, hanging.flat());
    await until('the slow host has used its share of slots', async () => (await leased()) >= part);
    const neighbour = await callbacks.organisation();
    const { url } = await meet((_request, response) => response.end());
    const ids = await callbacks.record(neighbour, url, 30);
    callbacks.announce(worker, ids);
    await until(
      'all callbacks of the neighbour are delivered',
      async () => (await countOf('delivered', 1, neighbour)) === ids.length,
    );
    expect(await leased()).toBe(part);
    await callbacks.database.execute(sql`UPDATE callback SET next_attempt_at = now() + interval '1 day'
      WHERE organisation_id = ${organisation} AND state = 'pending'`);
  });
});
