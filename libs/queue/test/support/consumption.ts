import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { lastValueFrom } from 'rxjs';
import { QueueAdmin, type QueueClient } from '../../src/index.js';
import type { ConsumptionCheck } from '../../src/server/consumption-check.js';
import type { LaneServer } from '../../src/server/lane-server.js';
import type { Broker } from './broker.js';
import * as oracle from './contracts.js';
import { LogBook, System, type Worker } from './system.js';

const lanes = { events: 'oracle-events', batch: 'oracle' };
/** More than a stuck lane needs to be found. */
const rounds = 8;

/** What a worker does when jobs wait and it takes none. */
export function consumption(start: () => Promise<Broker>): void {
  let broker: Broker;
  let system: System;
  beforeAll(async () => {
    broker = await start();
  });
  afterAll(() => broker.stop());
  beforeEach(() => {
    system = new System(broker.connection, {
      stuckAfterMs: 1_500,
      maxBatchConcurrency: 1,
      drainTimeoutMs: 500,
    });
  });
  afterEach(() => system.close());

  const emit = (client: QueueClient, text: string): Promise<unknown> =>
    lastValueFrom(client.emit(oracle.happened, { text }), { defaultValue: undefined });
  const serving = (worker: Worker) =>
    until('the worker serves its lanes', () => worker.queues.server.progress().serving);
  const waiting = async (worker: Worker, lane: string): Promise<number> =>
    (await worker.queues.depths()).find((depth) => depth.lane === lane)?.waiting ?? 0;

  it('is found in the lane whose loop has stopped, and only there', async () => {
    const worker = await system.worker();
    const { client } = await system.gateway();
    await serving(worker);
    await stopLoop(worker, lanes.events);
    // On Redis, the fetch in progress still takes one.
    for (const text of ['first', 'second', 'third']) await emit(client, text);
    await until('events wait', async () => (await waiting(worker, lanes.events)) >= 2);
    const before = await waiting(worker, lanes.events);
    expect(await worker.queues.server.untilStuck()).toBe(lanes.events);
    // The probe was removed, and no event was taken.
    expect(await waiting(worker, lanes.events)).toBe(before);
  });

  it('is not found while jobs are taken', async () => {
    const worker = await system.worker();
    const { client } = await system.gateway();
    await serving(worker);
    for (let round = 0; round < rounds; round += 1) {
      await emit(client, `event ${round}`);
      expect(await checkAll(worker)).not.toContain(true);
    }
  });

  it('is not found while a long job is active and others wait for it', async () => {
    const worker = await system.worker();
    const { client } = await system.gateway();
    await serving(worker);
    const calls = ['runs', 'waits'].map(() =>
      client.send(oracle.askEndless, { text: 'endless' }).subscribe({ error: () => undefined }),
    );
    await until('the first runs', () => worker.notebook.started.length > 0);
    const another = client.send(oracle.askEndless, { text: 'another' }).subscribe({ error: () => undefined });
    await until('another waits', async () => (await waiting(worker, lanes.batch)) > 0);
    for (let round = 0; round < rounds; round += 1) expect(await checkAll(worker)).not.toContain(true);
    for (const call of [...calls, another]) call.unsubscribe();
  });

  it('is not found while an operator has paused the lane', async () => {
    const worker = await system.worker();
    const { client } = await system.gateway();
    const admin = await QueueAdmin.open(system.settings, new LogBook());
    await serving(worker);
    await admin.pause(lanes.events);
    await emit(client, 'waits');
    for (let round = 0; round < rounds; round += 1) expect(await checkAll(worker)).not.toContain(true);
    await admin.resume(lanes.events);
    await until('the event was handled', () => worker.notebook.events.get('waits') === 1);
    await admin.close();
  });

  it('is not found while the broker is down, nor after it is back', async () => {
    const worker = await system.worker();
    const { client } = await system.gateway();
    await serving(worker);
    const admin = await QueueAdmin.open(system.settings, new LogBook());
    await admin.pause(lanes.events);
    await emit(client, 'waited for the broker');
    await admin.resume(lanes.events);
    await admin.close();
    await broker.outage?.begin();
    for (let round = 0; round < rounds; round += 1) expect(await checkAll(worker)).not.toContain(true);
    await broker.outage?.end();
    const isHandled = () => (worker.notebook.events.get('waited for the broker') ?? 0) > 0;
    await until('the event was handled', async () => {
      expect(await checkAll(worker)).not.toContain(true);
      return isHandled();
    });
  });
}

/** One round in every lane. */
const checkAll = (worker: Worker): Promise<boolean[]> =>
  Promise.all(inside(worker).checks.map((check) => check.isStuck()));

/** Stops the loop of the BullMQ worker itself, as a lost wake-up would. */
const stopLoop = async (worker: Worker, lane: string): Promise<void> => {
  const { checks, servers } = inside(worker);
  const index = checks.findIndex((check) => check.lane.name === lane);
  await servers[index]?.activeWorker?.pause(true);
};

const inside = (worker: Worker) =>
  worker.queues.server as unknown as { checks: ConsumptionCheck[]; servers: LaneServer[] };
