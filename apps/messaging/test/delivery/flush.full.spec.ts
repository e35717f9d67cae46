import { setTimeout as sleep } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { describeWithRedis, seededRandom, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RunningWorkers } from '../support/running-workers.js';
import type { SendingOrganisation } from '../support/sending-organisation.js';

const random = seededRandom('messaging flush test');

const flushes = 4;
const perFlush = 150;

describeWithRedis('a flush of Redis', () => {
  let redis: TestRedis;
  let fixture: RunningWorkers;
  let organisation: SendingOrganisation;
  beforeAll(async () => {
    redis = await startRedis();
    fixture = await RunningWorkers.open(redis.url);
    organisation = await fixture.organisation(100_000_000n);
  });
  afterAll(async () => {
    await fixture.close();
    await redis.stop();
  });

  const numbers = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `+234803${from + index}`);

  const expectAllDelivered = async (count: number): Promise<void> => {
    await organisation.untilEnded();
    expect(await organisation.counts()).toEqual({ delivered: count });
    expect(new Set(await organisation.taken())).toEqual(new Set([1]));
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  };

  it('under load loses no accepted message, and causes no duplicates', async () => {
    const sending: Promise<string>[] = [];
    for (let round = 0; round < flushes; round += 1) {
      sending.push(...numbers(1_000_000 + round * perFlush, perFlush).map((to) => organisation.send(to)));
      await sleep(random() * 100);
      await redis.flush();
    }
    await Promise.all(sending);
    await expectAllDelivered(flushes * perFlush);
  });

  it('without workers loses no accepted message', async () => {
    const many = [0, 1].map((index) => numbers(2_000_000 + index * 1_000, 1_000).join(','));
    await Promise.all(many.map((recipients) => organisation.send(recipients)));
    await fixture.killAll();
    expect(await organisation.unfinished()).toBeGreaterThan(0);
    await redis.flush();
    await fixture.startAgain();
    await expectAllDelivered(flushes * perFlush + 2_000);
  });
});
