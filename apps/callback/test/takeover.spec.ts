import { type Database, sql } from '@gangan/database';
import { LeaseHolder, LeaseTakeover } from '@gangan/leases';
import { CallbackConsumer, until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { AttemptRepository } from '../src/attempts/attempt.repository.js';
import { TestCallbacks } from './support/test-callbacks.js';

describe('taking over the callbacks of a dead worker', () => {
  let callbacks: TestCallbacks;
  let worker: INestApplicationContext;
  let consumer: CallbackConsumer;
  let organisation: string;
  beforeAll(async () => {
    callbacks = await TestCallbacks.open();
    organisation = await callbacks.organisation();
    consumer = await CallbackConsumer.start((_request, response) => response.end());
    worker = await callbacks.worker({ CALLBACK_HOST_CONCURRENCY: 1 });
  });
  afterAll(async () => {
    await callbacks.close();
    await consumer.stop();
  });

  /** Attempts in flight of a process with this id, at a host that may have one of them. */
  const leave = async (holder: bigint, count: number): Promise<string[]> => {
    const ids = await callbacks.record(organisation, `http://127.0.0.1:${consumer.port}/`, count);
    await callbacks.database.execute(sql`
      UPDATE callback SET attempt = 1, leased_until = now() + interval '20 seconds',
        next_attempt_at = now() + interval '20 seconds', lease_holder = ${holder}
      WHERE id = ANY (${ids}::uuid[])`);
    return ids;
  };
  const register = (id: bigint, silentSeconds: number): Promise<number> =>
    callbacks.database.execute(sql`
      INSERT INTO lease_holder (id, app, host, pid, heartbeat_at, steady_since)
      VALUES (${id}, 'callback', 'h', 1, now() - ${silentSeconds}::float8 * interval '1 s', now() - interval '1 hour')`);

  it('sends them at once, stores the lost attempts and frees the slots of the host', async () => {
    // A process of another app shows that the database was there all the time.
    await callbacks.database.execute(sql`
      INSERT INTO lease_holder (id, app, host, pid, heartbeat_at, steady_since)
      VALUES (2, 'other', 'h', 1, now() + interval '1 minute', now() - interval '1 hour')`);
    const ids = await leave(3n, 2);
    await register(3n, 13);
    await until('the callbacks are delivered', async () => {
      const states = await Promise.all(ids.map((id) => callbacks.stored(id)));
      return states.every(({ state }) => state === 'delivered');
    });
    for (const id of ids)
      expect(await callbacks.attemptsOf(id)).toMatchObject([
        { attempt: 1, error: 'interrupted' },
        { attempt: 2, status: 200 },
      ]);
    const line = callbacks.log.lines.find(({ message }) => message.includes('taken over'));
    expect(line?.details).toMatchObject({ holder: '3', host: 'h', deadPid: 1, rows: { callback: 2 } });
  });

  it('does not take callbacks of a living worker', async () => {
    await register(4n, 5);
    const [id = ''] = await leave(4n, 1);
    await worker.get(LeaseTakeover).sweep();
    expect(await callbacks.stored(id)).toMatchObject({ state: 'pending', attempt: 1, leased: true });
    // It would keep the only slot of the host.
    await callbacks.database.callback.delete({ where: { id } });
  });

  it('releases the callbacks of a worker that stops, before its database closes', async () => {
    const stopping = await callbacks.worker();
    const { id: own } = stopping.get(LeaseHolder);
    const [id = ''] = await leave(own, 1);
    await stopping.close();
    await until('the callback is delivered', async () => (await callbacks.stored(id)).state === 'delivered');
    expect(await callbacks.database.leaseHolder.count({ where: { id: own } })).toBe(0);
    const line = callbacks.log.lines.find(({ message }) => message.startsWith('released'));
    expect(line?.details).toMatchObject({ rows: { callback: 1 } });
  });

  it('counts the result of a worker that was only slow, if no other has claimed the callback', async () => {
    const [id = ''] = await leave(5n, 1);
    // In one transaction, so that no worker can claim it meanwhile.
    await callbacks.database.transaction(async (transaction) => {
      expect(await worker.get(LeaseHolder).takeOver(transaction, 5n)).toEqual({ callback: 1 });
      await new AttemptRepository(transaction as unknown as Database).endAttempt({
        callback: {
          id,
          organisationId: organisation,
          host: 'slow.example',
          url: '',
          body: '',
          requestId: '',
          attempt: 1,
          earlierAttempts: 0,
          endpointId: null,
          sealedBody: null,
          isEndpointOff: false,
          isRestricted: false,
          secrets: [],
        },
        result: { outcome: 'answered', status: 200, body: Buffer.alloc(0) },
        outcome: { state: 'delivered', hostWorks: true },
        outcomeAsFirst: { state: 'delivered', hostWorks: true },
        startedAt: new Date(),
        endedAt: new Date(),
      });
    });
    expect(await callbacks.stored(id)).toMatchObject({ state: 'delivered', attempt: 1 });
    expect(await callbacks.attemptsOf(id)).toMatchObject([{ attempt: 1, status: 200 }]);
  });
});
