import { describeWithRedis, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import type { Broker } from './support/broker.js';
import { askValue, happened } from './support/contracts.js';
import { startClusterBroker } from './support/redis-broker.js';
import { System } from './support/system.js';

/** What needs keys of one slot. The full suite runs the whole conformance suite on a cluster. */
describeWithRedis('the transport on a Redis Cluster', () => {
  let broker: Broker;
  let system: System;
  beforeAll(async () => {
    broker = await startClusterBroker();
  });
  afterAll(() => broker.stop());
  beforeEach(() => {
    system = new System(broker.connection);
  });
  afterEach(() => system.close());

  it('delivers requests, replies and events', async () => {
    const { notebook } = await system.worker();
    const { client } = await system.gateway();
    const texts = Array.from({ length: 100 }, (_, n) => `q${n}`);
    const answers = await Promise.all(texts.map((text) => firstValueFrom(client.send(askValue, { text }))));
    expect(answers).toEqual(texts.map((text) => ({ text: `${text}!` })));
    await firstValueFrom(client.emit(happened, { text: 'event' }), { defaultValue: undefined });
    await until('the event was handled', () => notebook.events.get('event') === 1);
  });

  it('reports the depth of its lanes and applies limits', async () => {
    const { queues } = await system.worker();
    const gateway = await system.gateway();
    const lanes = (await queues.depths()).map(({ lane }) => lane);
    expect(lanes.sort()).toEqual(['oracle', 'oracle-alone', 'oracle-events']);
    const limit = { perSecond: 0.001, burst: 3 };
    const taken = await Promise.all(Array.from({ length: 5 }, () => gateway.limits.take('bucket', limit)));
    expect(taken.filter(({ allowed }) => allowed)).toHaveLength(3);
  });
});
