import { setTimeout as sleep } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import {
  describeAgainWithRedis,
  repetitions,
  seededRandom,
  startRedis,
  type TestRedis,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KilledWorkers } from './support/killed-workers.js';

const random = seededRandom('otp kill test');

const kills = repetitions(2, 8);
const perKill = 45;
const start = 100_000_000n;

/** The simulator delivers to the first, rejects the second, and never reports about the third. */
const recipients = ['+2348031234567', '+2347000000002', '+2347000000007'] as const;
const expected = [
  '1 whatsapp delivered',
  '4 whatsapp rejected refunded, sms rejected refunded',
  '1 whatsapp sent, sms sent',
];

/** Falls back while workers are killed, on either queue backend. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let fixture: KilledWorkers;
  beforeAll(async () => {
    fixture = await KilledWorkers.open(start, redisUrl());
  });
  afterAll(() => fixture.close());

  // A killed messaging worker may delay a delivery for longer than 5 s.
  const request = (recipient: string) => fixture.request(recipient, recipient === recipients[2] ? 5 : 300);

  it('sends every fallback once, and charges and refunds it exactly', async () => {
    const requests: Promise<string>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < perKill; index += 1)
        requests.push(request(recipients[index % recipients.length] ?? ''));
      await sleep(random() * 400);
      await fixture.killAndReplace(round);
    }
    await Promise.all(requests);
    const all = (outcome: string) => Array.from({ length: (kills * perKill) / 3 }, () => outcome);
    const wanted = Object.fromEntries(recipients.map((each, index) => [each, all(expected[index] ?? '')]));
    // A report that arrived before its killed worker stored the reference is matched within 70 s.
    await until(
      'all fallbacks are sent',
      async () => JSON.stringify(sorted(await fixture.outcomes())) === JSON.stringify(sorted(wanted)),
    ).catch(() => undefined);
    expect(await fixture.outcomes()).toEqual(wanted);
    expect((await balancesOf(fixture.database, fixture.organisationId)).available).toBe(
      start - (await fixture.spent()),
    );
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
    const left = sql`SELECT id FROM otp WHERE status <> 1 AND (sealed_token IS NOT NULL OR due_at IS NOT NULL)`;
    expect(await fixture.database.query(left)).toEqual([]);
    const texts = sql`SELECT id, state FROM delivery WHERE sealed_body IS NOT NULL`;
    expect(await fixture.database.query(texts)).toEqual([]);
  });
}

const sorted = (outcomes: Record<string, string[]>) =>
  Object.entries(outcomes).toSorted(([one], [other]) => (one < other ? -1 : 1));

describe('killing workers, with the queues in Postgres,', () => {
  survivesItsWorkers(() => undefined);
});

describeAgainWithRedis('killing workers, with the queues in Redis,', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
