import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { describeWithRedis, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RunningOffice } from './support/running-office.js';

const flushes = 4;
const perFlush = 150;

describeWithRedis('a Redis that forgets everything', () => {
  let redis: TestRedis;
  let office: RunningOffice;
  beforeAll(async () => {
    redis = await startRedis();
    office = await RunningOffice.open(100_000_000n, redis.url);
  }, 120_000);
  afterAll(async () => {
    await office.close();
    await redis.stop();
  }, 60_000);

  it('loses nothing that was accepted, and nothing is sent twice for it', async () => {
    const sending: Promise<string>[] = [];
    for (let round = 0; round < flushes; round += 1) {
      for (let place = 0; place < perFlush; place += 1) {
        sending.push(office.insist(`+234803${1_000_000 + round * perFlush + place}`));
      }
      await pause(Math.random() * 200);
      await redis.flush();
    }
    await Promise.all(sending);
    await office.untilEnded();
    expect(await office.counts()).toEqual({ delivered: flushes * perFlush });
    expect(new Set(await office.taken())).toEqual(new Set([1]));
    expect(await checkLedger(office.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  }, 300_000);
});
