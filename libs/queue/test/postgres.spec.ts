import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import type { Broker } from './support/broker.js';
import { conformance } from './support/conformance.js';
import { askBriefly, askEndless } from './support/contracts.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { System } from './support/system.js';

describe('the transport on Postgres', () => {
  conformance(startPostgresBroker, { outages: true });
});

describe('the transport while Postgres fails', () => {
  let broker: Broker;
  beforeAll(async () => {
    broker = await startPostgresBroker();
  });
  afterAll(() => broker.stop());

  it('closes while its lanes start', async () => {
    const system = new System(broker.connection);
    for (let round = 0; round < 10; round += 1) {
      const worker = await system.worker();
      await pause(2 * round);
      await worker.stop();
    }
  });

  it('ends the requests in flight when Postgres crashes, long before their deadline', async () => {
    const system = new System(broker.connection, { drainTimeoutMs: 500 });
    const { notebook } = await system.worker();
    const { client } = await system.gateway();
    const started = performance.now();
    const reply = firstValueFrom(client.send(askEndless, { text: 'in flight' }));
    const ended = expect(reply).rejects.toMatchObject({ code: 'outcome_unknown' });
    await until('the worker has the request', () => notebook.started.includes('in flight'));
    await broker.outage?.begin();
    await ended;
    expect(performance.now() - started).toBeLessThan(askEndless.deadlineMs / 2);
    await system.close();
    await broker.outage?.end();
  });

  it('closes although a job in flight ends while Postgres is down', async () => {
    const system = new System(broker.connection);
    const worker = await system.worker();
    const { client } = await system.gateway();
    // A worker repeats the reply until the deadline, which is short here.
    const reply = firstValueFrom(client.send(askBriefly, { text: 'in flight', takeMs: 2_000 }));
    const ended = expect(reply).rejects.toMatchObject({ code: 'outcome_unknown' });
    await until('the worker has the request', () => worker.notebook.started.includes('in flight'));
    await broker.outage?.begin();
    const started = performance.now();
    await worker.stop();
    // Long before the limit of an app, which is 28 s.
    expect(performance.now() - started).toBeLessThan(20_000);
    await ended;
    await system.close();
  });
});
