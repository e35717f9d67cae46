import { setTimeout as sleep } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import {
  describeWithRedis,
  isFullSuite,
  repetitions,
  seededRandom,
  startRedis,
  type TestRedis,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { changeLoad, deliveryLoad, type KillLoad, scheduleLoad } from '../support/kill-loads.js';
import { RunningWorkers } from '../support/running-workers.js';

const random = seededRandom('messaging kill test');

const kills = repetitions(2, 8);
const timeoutMs = kills * 150_000;

/** Kills workers while they process these loads, on either queue backend. The loads share the workers and the kills. */
function survive(redisUrl: () => string | undefined, loads: readonly KillLoad[]): void {
  let workers: RunningWorkers;
  beforeAll(async () => {
    const hasContacts = loads.some(({ needsContacts }) => needsContacts);
    workers = await RunningWorkers.open(redisUrl(), { hasContacts });
    await Promise.all(loads.map((load) => load.prepare(workers)));
    const running: Promise<void>[] = [];
    for (let round = 0; round < kills; round += 1) {
      // Otherwise the others would have done the work before it is killed.
      await workers.untilReadyToKill(round);
      running.push(...loads.map((load) => load.run(round)));
      await sleep(random() * 1_000);
      await workers.killAndReplace(round);
    }
    await Promise.all(running);
    await Promise.all(loads.map((load) => load.untilEnded()));
  }, timeoutMs);
  afterAll(() => workers.close());

  it('abandon no delivery by bad luck', async () => {
    // The simulator can be asked, so that follows the third death.
    const [found] = await workers.database.query<{ suspects: number; abandoned: number }>(sql`
      SELECT (SELECT count(*)::int FROM delivery_attempt WHERE outcome IS NULL) AS suspects,
        (SELECT count(*)::int FROM delivery WHERE worker_deaths > 2) AS abandoned`);
    expect(found?.abandoned).toBe(0);
    // Workers may hold nothing at the time of a few kills.
    if (isFullSuite) expect(found?.suspects).toBeGreaterThan(0);
  });

  it('keep the ledger consistent', async () => {
    expect(await checkLedger(workers.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });
}

describe('workers that are killed, with the queues in Postgres,', () => {
  survive(() => undefined, [deliveryLoad(), changeLoad(random), scheduleLoad()]);
});

describeWithRedis('workers that are killed, with the queues in Redis,', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survive(() => redis.url, [deliveryLoad(), ...(isFullSuite ? [changeLoad(random), scheduleLoad()] : [])]);
});
