import { sql } from '@gangan/database';
import { describeAgainWithRedis, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KilledWorkers } from './support/killed-workers.js';

/** Buys while workers are killed, with the queues in Postgres or Redis. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let workers: KilledWorkers;
  beforeAll(async () => {
    workers = await KilledWorkers.start({ mode: 'test', redisUrl: redisUrl() });
  });
  afterAll(() => workers.stop());

  it('tops up no number twice, finishes every purchase and keeps every kobo', async () => {
    await workers.buyAndKill('airtime kill test', 150);
    const ended = await workers.ended();
    const toppedUp = await workers.database.query<{ reference: string }>(
      sql`SELECT reference FROM simulated_top_up`,
    );
    // Each was topped up at most once, and succeeded exactly if it was.
    const successes = ended.filter(({ state }) => state === 'success').map(({ id }) => id);
    expect(toppedUp.map(({ reference }) => reference).sort()).toEqual(successes.sort());
    const failures = ended.filter(({ state }) => state === 'failed');
    expect(failures.every(({ code }) => code === 'never_arrived')).toBe(true);
  });
}

describe('the airtime worker on Postgres, killed again and again', () => {
  survivesItsWorkers(() => undefined);
});

describeAgainWithRedis('the airtime worker on Redis, killed again and again', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
