import { newContext, runInContext } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import type { Backend } from '../../src/backends/backend.js';
import { QueueAdmin, type QueueKeys, type Queues } from '../../src/index.js';
import { Codec } from '../../src/wire/codec.js';
import type { Broker } from './broker.js';
import * as oracle from './contracts.js';
import { System } from './system.js';

/** What an operator can do on every backend. */
export function administration(start: () => Promise<Broker>): void {
  let broker: Broker;
  let system: System;
  let admin: QueueAdmin;

  beforeAll(async () => {
    broker = await start();
  });
  afterAll(() => broker.stop());
  beforeEach(async () => {
    system = new System(broker.connection);
    admin = await QueueAdmin.open(system.settings, system.log);
  });
  afterEach(async () => {
    await admin.close();
    await system.close();
  });

  const parkedIn = async (lane: string): Promise<string[]> =>
    (await admin.parked(lane, 0, 100)).map(({ id }) => id);
  const untilParked = (lane: string, count: number): Promise<true> =>
    until('the jobs are parked', async () => (await admin.state(lane)).failed === count);
  const untilEmpty = (lane: string): Promise<true> =>
    until('the lane is empty', async () => {
      const { waiting, active, failed } = await admin.state(lane);
      return waiting + active + failed === 0;
    });

  /** Events that are parked at their first attempt. */
  const parkEvents = async (...texts: string[]): Promise<void> => {
    const { client } = await system.gateway();
    const organisation = newContext({ organisationId: 'acme' });
    for (const text of texts)
      await runInContext(organisation, () => firstValueFrom(client.emit(oracle.happened, { text })));
  };

  /** Parks a request as a worker does; its caller is gone. */
  const parkRequest = async (
    gateway: Queues,
    text: string,
    keys: QueueKeys = system.settings.keys,
  ): Promise<void> => {
    const { backend } = gateway as unknown as { backend: Backend };
    const request = { id: `r-${text}`, name: oracle.askValue.name, organisation: 'acme', deadline: 1 };
    const parcel = JSON.stringify({ data: { text }, context: newContext() });
    const sealed = new Codec('gateway', keys).sealJob(
      { sender: 'gateway', lane: 'oracle', replyTo: 'gone' },
      [{ request, parcel }],
    );
    const queue = await backend.queue('oracle');
    const kept = { attempts: 1, removeOnFail: false, removeOnComplete: true };
    await queue.add('parked', { ...sealed, parked: 'started 3 times and never finished' }, kept);
  };

  describe('a parked event', () => {
    it('shows everything except its content, which needs the key', async () => {
      await system.worker();
      await parkEvents('never 7f3a9');
      await untilParked('oracle-events', 1);
      const [job] = await admin.parked('oracle-events', 0, 10);
      expect(job).toMatchObject({
        lane: 'oracle-events',
        reason: expect.stringContaining('AppError'),
        starts: 1,
        requests: [{ name: 'oracle.happened', organisation: 'acme' }],
      });
      expect(job?.parkedAt?.getTime()).toBeGreaterThanOrEqual(job?.addedAt.getTime() ?? Infinity);
      expect(JSON.stringify(job)).not.toContain('7f3a9');
      const id = job?.id ?? '';
      expect(await admin.find('oracle-events', id)).toEqual(job);
      const opened = await admin.openSealed('oracle-events', id, system.settings.keys);
      expect(opened).toMatchObject([{ data: { text: 'never 7f3a9' }, context: { organisationId: 'acme' } }]);
      const stranger = new System(broker.connection).settings.keys;
      await expect(admin.openSealed('oracle-events', id, stranger)).rejects.toThrow(/QUEUE_KEYS/);
    });

    it('runs again, with all its attempts', async () => {
      const first = await system.worker();
      await parkEvents('always wrong');
      await untilParked('oracle-events', 1);
      const attempts = first.notebook.events.get('always wrong') ?? 0;
      expect(attempts).toBe(oracle.happened.attempts);
      const [id = ''] = await parkedIn('oracle-events');
      expect(await admin.replay('oracle-events', id)).toBe(true);
      await until(
        'the event has been retried',
        () => first.notebook.events.get('always wrong') === 2 * attempts,
      );
      await untilParked('oracle-events', 1);
    });

    it('is deleted when it is dropped, and cannot be replayed', async () => {
      await system.worker();
      await parkEvents('never', 'never mind');
      await untilParked('oracle-events', 2);
      const [first = '', second = ''] = await parkedIn('oracle-events');
      expect(await admin.drop('oracle-events', first)).toBe(true);
      expect(await parkedIn('oracle-events')).toEqual([second]);
      expect(await admin.replay('oracle-events', first)).toBe(false);
      expect(await admin.drop('oracle-events', first)).toBe(false);
      expect(await admin.dropAll('oracle-events')).toBe(1);
      expect(await parkedIn('oracle-events')).toEqual([]);
    });

    it('is replayed once by `replayAll`, even if it fails again at once', async () => {
      const worker = await system.worker();
      await parkEvents('never', 'never mind');
      await untilParked('oracle-events', 2);
      expect(await admin.replayAll('oracle-events')).toEqual({ replayed: 2, unopened: 0 });
      await until('the event has been delivered again', () => worker.notebook.events.get('never mind') === 2);
      await untilParked('oracle-events', 2);
      expect(worker.notebook.events.get('never')).toBe(2);
    });

    it('that cannot be read is counted and logged once', async () => {
      await system.worker();
      const { backend } = (await system.gateway()) as unknown as { backend: Backend };
      await (await backend.queue('oracle-events')).add('events', { v: 99 }, { attempts: 3 });
      await untilParked('oracle-events', 1);
      expect(system.tally.parkedLanes).toEqual(['oracle-events']);
      const parked = system.log.lines.filter(({ message }) => message.includes('parked'));
      expect(parked).toMatchObject([{ details: { reason: expect.stringContaining('version 99') } }]);
    });
  });

  describe('a parked request', () => {
    it('stays parked until it is replayed, and then runs without a caller', async () => {
      const worker = await system.worker();
      await parkRequest(await system.gateway(), 'late');
      await untilParked('oracle', 1);
      expect(worker.notebook.started).toEqual([]);
      const [id = ''] = await parkedIn('oracle');
      await expect(admin.replay('oracle', id)).rejects.toThrow('only with the queue keys');
      expect(await admin.replay('oracle', id, system.settings.keys)).toBe(true);
      await until('the job is active', () => worker.notebook.started.includes('late'));
      await untilEmpty('oracle');
      expect(worker.notebook.started).toEqual(['late']);
      expect(system.tally.handledOutcomes).toEqual(['ok']);
      expect(await admin.find('oracle', id)).toBeUndefined();
    });

    it('that was sealed with another key stays parked, and the others are replayed', async () => {
      const worker = await system.worker();
      const gateway = await system.gateway();
      const { keys: otherKeys } = new System(broker.connection).settings;
      await parkRequest(gateway, 'unopened', otherKeys);
      await parkRequest(gateway, 'late');
      await untilParked('oracle', 2);
      expect(await admin.replayAll('oracle', system.settings.keys)).toEqual({ replayed: 1, unopened: 1 });
      await until('the request has run', () => worker.notebook.started.includes('late'));
      await untilParked('oracle', 1);
      expect(worker.notebook.started).toEqual(['late']);
    });

    it('that cannot be read is shown, is not replayed, and can be dropped', async () => {
      await system.worker();
      const { backend } = (await system.gateway()) as unknown as { backend: Backend };
      await (await backend.queue('oracle')).add('requests', { v: 99 }, { attempts: 1 });
      await untilParked('oracle', 1);
      const [job] = await admin.parked('oracle', 0, 10);
      expect(job).toMatchObject({ requests: [], reason: expect.stringContaining('version 99') });
      expect(await admin.replayAll('oracle')).toEqual({ replayed: 0, unopened: 1 });
      await expect(admin.replay('oracle', job?.id ?? '')).rejects.toThrow('another version sent it');
      expect(await admin.dropAll('oracle')).toBe(1);
    });
  });

  describe('a lane', () => {
    it('that is paused keeps new jobs until it is resumed', async () => {
      await system.worker();
      const { client } = await system.gateway();
      await admin.pause('oracle');
      expect(await admin.state('oracle')).toMatchObject({ paused: true, waiting: 0 });
      const answer = firstValueFrom(client.send(oracle.askValue, { text: 'patience' }));
      await until('one job is waiting', async () => (await admin.state('oracle')).waiting === 1);
      const [running] = await admin.parked('oracle', 0, 1);
      expect(running).toBeUndefined();
      await admin.resume('oracle');
      expect(await answer).toEqual({ text: 'patience!' });
      expect(await admin.state('oracle')).toMatchObject({ paused: false });
    });

    it('does not drop waiting jobs together with parked ones', async () => {
      const { client } = await system.gateway();
      await firstValueFrom(client.emit(oracle.happened, { text: 'waiting' }, { jobId: 'row-1' }));
      expect(await admin.find('oracle-events', 'row-1')).toMatchObject({ starts: 0 });
      expect(await admin.drop('oracle-events', 'row-1')).toBe(false);
      expect(await admin.replay('oracle-events', 'row-1')).toBe(false);
      expect(await admin.state('oracle-events')).toMatchObject({ waiting: 1 });
    });
  });
}
