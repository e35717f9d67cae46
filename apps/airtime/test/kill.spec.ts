import { sql } from '@gangan/database';
import { purchaseIdOf } from '@gangan/providers';
import {
  describeAgainWithRedis,
  type FakeAirtime,
  type FakePayment,
  seededRandom,
  startRedis,
  type TestRedis,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KilledWorkers } from './support/killed-workers.js';
import { startVtpass } from './support/open-adapters.js';

const random = seededRandom('answers of VTpass');

function paymentOf(drawn: number): FakePayment {
  if (drawn < 0.05) return 'drop';
  if (drawn < 0.1) return 'lose';
  if (drawn < 0.15) return 'pend';
  return drawn < 0.2 ? 'refuse' : 'deliver';
}

/** Buys while workers are killed, with the queues in Postgres or Redis. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let vtpass: FakeAirtime;
  let workers: KilledWorkers;
  beforeAll(async () => {
    vtpass = await startVtpass();
    vtpass.payment = () => paymentOf(random());
    workers = await KilledWorkers.start(vtpass, redisUrl());
    await workers.buyAndKill();
  });
  afterAll(async () => {
    await workers.stop();
    await vtpass.stop();
  });

  it('tops up no number twice with the simulator', async () => {
    const ended = await workers.ended(workers.organisations.simulator);
    const toppedUp = await workers.database.query<{ reference: string }>(
      sql`SELECT reference FROM simulated_top_up`,
    );
    // Each was topped up at most once, and succeeded exactly if it was.
    const successes = ended.filter(({ state }) => state === 'success').map(({ id }) => id);
    expect(toppedUp.map(({ reference }) => reference).toSorted()).toEqual(successes.toSorted());
    const failures = ended.filter(({ state }) => state === 'failed');
    expect(failures.every(({ code }) => code === 'never_arrived')).toBe(true);
  });

  it('pays VTpass once for each purchase, each with its own request id', async () => {
    const ended = await workers.ended(workers.organisations.vtpass);
    // Every payment arrived once, and each request id contains the id of its purchase.
    expect([...vtpass.payments.values()].every((count) => count === 1)).toBe(true);
    const payers = [...vtpass.payments.keys()].map((requestId) => purchaseIdOf(requestId) ?? requestId);
    expect(new Set(payers).size).toBe(payers.length);
    const ids = new Set(ended.map(({ id }) => id));
    expect(payers.filter((id) => !ids.has(id))).toEqual([]);
    const delivered = [...vtpass.topUps].filter(([, topUp]) => topUp === 'delivered').map(([id]) => id);
    const successes = ended.filter(({ state }) => state === 'success');
    expect(successes.map(({ reference }) => reference).toSorted()).toEqual(delivered.toSorted());
    const failures = ended.filter(({ state }) => state === 'failed');
    expect(failures.every(({ code }) => code === 'never_arrived' || code === 'rejected')).toBe(true);
  });

  it('buys the bundles that were requested from VTpass', async () => {
    const ended = await workers.ended(workers.organisations.vtpass);
    const bundles = ended.flatMap(({ id, isBundle }) => (isBundle ? [id] : []));
    const payers = [...vtpass.payments.keys()].map((requestId) => purchaseIdOf(requestId) ?? requestId);
    const bought = vtpass.requests.flatMap(({ path, body }) =>
      path === '/api/pay' && body.includes('"mtn-10mb-100"')
        ? [purchaseIdOf((JSON.parse(body) as { request_id: string }).request_id)]
        : [],
    );
    expect(bought.length).toBeGreaterThan(0);
    expect(bought.toSorted()).toEqual(payers.filter((id) => bundles.includes(id)).toSorted());
  });

  it('charges or refunds every purchase', () => workers.expectSoundBalances());
}

describe('killing airtime workers, with the queues in Postgres,', () => {
  survivesItsWorkers(() => undefined);
});

describeAgainWithRedis('killing airtime workers, with the queues in Redis,', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
