import { setTimeout as pause } from 'node:timers/promises';
import { checkLedger } from '@gangan/billing';
import { describeWithRedis, seededRandom, startRedis, type TestRedis } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { RunningOffice } from './support/running-office.js';

const random = seededRandom('messaging flush test');
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

  const numbers = (from: number, count: number): string[] =>
    Array.from({ length: count }, (_, place) => `+234803${from + place}`);

  const expectAllDelivered = async (count: number): Promise<void> => {
    await office.untilEnded();
    expect(await office.counts()).toEqual({ delivered: count });
    expect(new Set(await office.taken())).toEqual(new Set([1]));
    expect(await checkLedger(office.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  };

  it('under load loses nothing that was accepted, and nothing is sent twice for it', async () => {
    const sending: Promise<string>[] = [];
    for (let round = 0; round < flushes; round += 1) {
      sending.push(...numbers(1_000_000 + round * perFlush, perFlush).map((to) => office.retryTransient(to)));
      await pause(random() * 100);
      await redis.flush();
    }
    await Promise.all(sending);
    await expectAllDelivered(flushes * perFlush);
  }, 300_000);

  it('while nobody is there loses nothing either', async () => {
    const many = [0, 1].map((place) => numbers(2_000_000 + place * 1_000, 1_000).join(','));
    await Promise.all(many.map((recipients) => office.retryTransient(recipients)));
    await office.killAll();
    expect(await office.unfinished()).toBeGreaterThan(0);
    await redis.flush();
    await office.startAgain();
    await expectAllDelivered(flushes * perFlush + 2_000);
  }, 300_000);
});
