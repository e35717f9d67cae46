import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@gangan/protocol';
import { describeAgainWithRedis, until } from '@gangan/testing';
import type { Limit, Queues } from '../src/index.js';
import type { Broker } from './support/broker.js';
import { startPostgresBroker } from './support/postgres-broker.js';
import { startClusterBroker, startRedisBroker } from './support/redis-broker.js';
import { System } from './support/system.js';

describe('limits on Postgres', () => {
  limits(startPostgresBroker, { outages: true });
});
describeAgainWithRedis('limits on Redis', () => {
  limits(startRedisBroker, { outages: true });
});
describeAgainWithRedis('limits on a Redis Cluster', () => {
  limits(startClusterBroker, { outages: false });
});

const taking = async (queues: Queues, bucket: string, limit: Limit, count: number): Promise<number> => {
  const taken = await Promise.all(Array.from({ length: count }, () => queues.limits.take(bucket, limit)));
  return taken.filter(({ allowed }) => allowed).length;
};

/** What may have been given since the bucket was first asked for. */
const mostSince = (startedAt: number, { perSecond, burst }: Limit): number =>
  burst + ((performance.now() - startedAt) / 1_000) * perSecond;

function limits(start: () => Promise<Broker>, { outages }: { readonly outages: boolean }): void {
  let broker: Broker;
  let system: System;
  beforeAll(async () => {
    broker = await start();
  });
  beforeEach(() => {
    // On a busy machine a store may be slow; here it must be asked all the same.
    system = new System(broker.connection, { limitTimeoutMs: 20_000 });
  });
  afterEach(() => system.close());
  afterAll(() => broker.stop());

  it('grants no more than the limit over all processes', async () => {
    const gateways = [await system.gateway(), await system.gateway()];
    const limit = { perSecond: 50, burst: 40 };
    const startedAt = performance.now();
    let given = 0;
    for (let round = 0; round < 30; round += 1) {
      const counts = await Promise.all(gateways.map((gateway) => taking(gateway, 'busy', limit, 15)));
      given += counts.reduce((sum, count) => sum + count);
      expect(given).toBeLessThanOrEqual(mostSince(startedAt, limit));
      await pause(20);
    }
    expect(given).toBeGreaterThanOrEqual(limit.burst);
    expect(system.log.lines).toEqual([]);
  });

  it('refills', async () => {
    const gateway = await system.gateway();
    const limit = { perSecond: 100, burst: 5 };
    expect(await taking(gateway, 'refilling', limit, 5)).toBe(5);
    await until('the bucket refills', async () => (await taking(gateway, 'refilling', limit, 1)) === 1);
  });

  it('keeps buckets separate', async () => {
    const gateway = await system.gateway();
    const limit = { perSecond: 0.001, burst: 3 };
    const names = Array.from({ length: 50 }, () => newId());
    const given = await Promise.all(names.map((name) => taking(gateway, name, limit, 5)));
    expect(given).toEqual(names.map(() => 3));
  });

  it('applies a changed limit at once', async () => {
    const gateway = await system.gateway();
    expect(await taking(gateway, 'changing', { perSecond: 0.001, burst: 100 }, 1)).toBe(1);
    expect(await taking(gateway, 'changing', { perSecond: 0.001, burst: 10 }, 50)).toBe(10);
  });

  it('tells all processes which callers share a bucket', async () => {
    const [one, other] = [await system.gateway(), await system.gateway()];
    const [limit, half] = [
      { perSecond: 0.001, burst: 100 },
      { perSecond: 0.001, burst: 50 },
    ];
    const hasToShare = (gateway: Queues, caller: string): boolean =>
      gateway.limits.hasToShare('shared', limit, caller, caller, half);
    expect(hasToShare(one, 'a')).toBe(false);
    expect(await taking(one, 'shared', limit, 20)).toBe(20);
    // It learns of the other one with its first token.
    expect(hasToShare(other, 'b')).toBe(false);
    expect(await taking(other, 'shared', limit, 40)).toBe(40);
    expect(hasToShare(other, 'b')).toBe(true);
    // Half of what is left: 40, less what the first process has prefetched.
    const begin = await taking(other, 'b', half, 50);
    expect(begin).toBeGreaterThanOrEqual(15);
    expect(begin).toBeLessThanOrEqual(20);
    expect(await taking(other, 'c', half, 50)).toBe(50);
    await until('the first process asks again', async () => {
      await taking(one, 'shared', limit, 1);
      return hasToShare(one, 'a');
    });
  });

  (outages ? it : it.skip)('applies limits while the store is down and after it is back', async () => {
    const gateway = await system.gateway();
    const limit = { perSecond: 20, burst: 30 };
    const startedAt = performance.now();
    const said = (text: string) => system.log.lines.some(({ message }) => message.includes(text));
    let given = await taking(gateway, 'outage', limit, 20);
    await broker.outage?.begin();
    await until('the process applies the limits alone', async () => {
      given += await taking(gateway, 'outage', limit, 10);
      return said('this process applies them alone');
    });
    for (let round = 0; round < 10; round += 1) given += await taking(gateway, 'outage', limit, 10);
    expect(given).toBeLessThanOrEqual(mostSince(startedAt, limit));
    await broker.outage?.end();
    await until('the limits are shared again', async () => {
      given += await taking(gateway, 'outage', limit, 10);
      return said('shared again');
    });
    // A store that forgot its buckets begins with full ones.
    expect(given).toBeLessThanOrEqual(mostSince(startedAt, limit) + limit.burst);
    expect(system.log.lines.filter(({ message }) => message.includes('rate limits'))).toHaveLength(2);
  });
}
