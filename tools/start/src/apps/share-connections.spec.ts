import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apps } from './apps.js';
import { shareConnections } from './share-connections.js';
import { readSettings } from '../settings.js';

const max = readSettings({}).maxPoolSizes;
const sum = (pools: ReturnType<typeof shareConnections>, queueInPostgres: boolean): number =>
  [...pools.values()].reduce((all, { database, queue }) => all + database + (queueInPostgres ? queue : 0), 0);

describe('sharing the connections of the database', () => {
  it('gives every process what it can use if there is room', () => {
    const pools = shareConnections(153, true, max);
    expect([...pools.keys()]).toEqual(apps.map(({ name }) => name));
    expect(new Set([...pools.values()].map(({ database, queue }) => `${database}/${queue}`))).toEqual(
      new Set(['8/8']),
    );
  });

  it('never assigns more than there is, and never less than a process needs', () => {
    fc.assert(
      fc.property(fc.integer({ min: 76, max: 400 }), fc.boolean(), (free, queueInPostgres) => {
        const pools = shareConnections(free, queueInPostgres, max);
        expect(sum(pools, queueInPostgres)).toBeLessThanOrEqual(
          free - 11 - (queueInPostgres ? apps.length : 0),
        );
        for (const { name, role } of apps) {
          const pool = pools.get(name);
          expect(pool?.database).toBeGreaterThanOrEqual(2);
          if (queueInPostgres) expect(pool?.queue).toBeGreaterThanOrEqual(role === 'worker' ? 4 : 2);
        }
      }),
    );
  });

  it('needs fewer with the queue in Redis', () => {
    expect(() => shareConnections(30, true, max)).toThrow(/takes? 30 .* need 58.*by at least 28.*REDIS_URL/);
    expect(sum(shareConnections(30, false, max), false)).toBe(19);
  });

  it('says what to do when the server is too small', () => {
    expect(() => shareConnections(10, false, max)).toThrow(/Raise its max_connections by at least 15/);
  });

  it('never exceeds the configured size of a pool', () => {
    const pools = shareConnections(400, true, { database: 3, queue: 20 });
    expect(pools.get('lookup')).toEqual({ database: 3, queue: 20 });
  });
});
