import { setTimeout as sleep } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { describeWithRedis, repetitions, seededRandom, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RunningWorkers } from '../support/running-workers.js';

const random = seededRandom('messaging kill test');

const kills = repetitions(2, 8);
const perKill = 200;
const start = 100_000_000n;
const price = 400n;

/** Of ten, one is rejected and one undelivered; both are given back. */
const recipientOf = (index: number): string => {
  if (index % 10 === 3) return '+2347000000002';
  return index % 10 === 7 ? '+2347000000004' : `+234803${1_000_000 + index}`;
};

/** Sends while workers are killed, on either queue backend. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let fixture: RunningWorkers;
  beforeAll(async () => {
    fixture = await RunningWorkers.open(start, redisUrl());
  });
  afterAll(() => fixture.close());

  it('ends every delivery, sends none twice, and charges and refunds exactly', async () => {
    const sending: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1) {
        sending.push(fixture.send(recipientOf(round * perKill + index)));
      }
      await sleep(random() * 150);
      await fixture.killAndReplace(round);
    }
    const ids = await Promise.all(sending);
    expect(new Set(ids).size).toBe(kills * perKill);
    await fixture.untilEnded();

    const tenth = (kills * perKill) / 10;
    expect(await fixture.counts()).toEqual({ delivered: 8 * tenth, rejected: tenth, undelivered: tenth });
    // The simulator can be asked, so that not even those in hand when a worker died are sent to again.
    expect(new Set(await fixture.taken())).toEqual(new Set([1]));
    expect(await balancesOf(fixture.database, fixture.organisationId)).toEqual({
      available: start - BigInt(8 * tenth) * price,
      reserved: 0n,
    });
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });
}

describe('with the queues in Postgres, killing its worker', () => {
  survivesItsWorkers(() => undefined);
});

describeWithRedis('with the queues in Redis, killing its worker', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
