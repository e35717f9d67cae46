import { setTimeout as sleep } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { cancelSms, pauseSms, resumeSms } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import {
  describeAgainWithRedis,
  repetitions,
  seededRandom,
  startRedis,
  type TestRedis,
  until,
} from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom } from 'rxjs';
import { RunningWorkers } from '../support/running-workers.js';

const random = seededRandom('messaging kill changes');

const kills = repetitions(2, 8);
const maxAttempts = 300;
const recipientsPerMessage = 500;
const start = 100_000_000n;
const price = 400n;
const contracts = { pause: pauseSms, resume: resumeSms, cancel: cancelSms };

const recipients = (message: number): string =>
  Array.from(
    { length: recipientsPerMessage },
    (_, index) => `+234803${1_000_000 + message * 1_000 + index}`,
  ).join(',');

/** Pauses, resumes and cancels messages while workers are killed, on either queue backend. */
function survivesItsWorkers(redisUrl: () => string | undefined): void {
  let fixture: RunningWorkers;
  beforeAll(async () => {
    fixture = await RunningWorkers.open(start, redisUrl());
  });
  afterAll(() => fixture.close());

  // Compared with the DND list, so that it is not submitted with its acceptance.
  const send = (message: number): Promise<string> =>
    fixture.send(recipients(message), { category: 'promotional', callback: 'https://gangan.invalid/' });
  /** Sends a request again until it has a response. @returns the status; undefined if the message was completed before */
  const change = async (action: keyof typeof contracts, id: string): Promise<string | undefined> => {
    const context = newContext({ organisationId: fixture.organisationId });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await firstValueFrom(fixture.queues.client.send(contracts[action], { id }, context))).status;
      } catch (error) {
        const { status } = error as { status?: number };
        if (status === 409) return undefined;
        if (status !== 503 || attempt === maxAttempts) throw error;
        await sleep(200);
      }
    }
  };
  const runMessage = async (index: number): Promise<{ id: string; isCanceled: boolean }> => {
    const id = await send(index);
    if (index % 3 > 0) {
      await change('pause', id);
      await sleep(random() * 1_000);
      if (index % 3 === 1) await change('resume', id);
    }
    const isCanceled = index % 2 === 0 && (await change('cancel', id)) === 'canceled';
    if (!isCanceled) await change('resume', id);
    return { id, isCanceled };
  };

  it('sends each recipient once or refunds it, and reports each cancellation once', async () => {
    const running: Promise<{ id: string; isCanceled: boolean }>[] = [];
    for (let round = 0; round < kills; round += 1) {
      for (let index = 0; index < 6; index += 1) running.push(runMessage(round * 6 + index));
      await sleep(200 + random() * 1_000);
      await fixture.killAndReplace(round);
    }
    const messages = await Promise.all(running);
    await fixture.untilEnded();
    await until(
      'all changes are carried out',
      async () => (await fixture.database.messageChange.count()) === 0,
    );
    const canceled = messages.filter(({ isCanceled }) => isCanceled);
    expect(canceled.length).toBeGreaterThan(0);
    const counts = await fixture.counts();
    expect(Object.keys(counts).filter((state) => !['delivered', 'canceled'].includes(state))).toEqual([]);
    const { delivered = 0, canceled: ended = 0 } = counts;
    expect(delivered + ended).toBe(messages.length * recipientsPerMessage);
    expect(ended).toBeGreaterThan(0);
    expect(new Set(await fixture.taken())).toEqual(new Set([1]));
    expect(await fixture.taken()).toHaveLength(delivered);
    expect(await balancesOf(fixture.database, fixture.organisationId)).toEqual({
      available: start - BigInt(delivered) * price,
      reserved: 0n,
    });
    const reported = await fixture.database.query<{ id: string; canceled: number; own: number }>(sql`
      SELECT resource_id AS id, (body::jsonb -> 'data' ->> 'canceled')::int AS canceled,
        (SELECT count(*)::int FROM delivery WHERE message_id = resource_id AND state = 'canceled') AS own
      FROM callback WHERE type = 'message.canceled'`);
    expect(reported.map(({ id }) => id).toSorted()).toEqual(canceled.map(({ id }) => id).toSorted());
    expect(reported.filter((each) => each.canceled !== each.own)).toEqual([]);
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });
}

describe('with the queues in Postgres, killing a worker that changes messages', () => {
  survivesItsWorkers(() => undefined);
});

describeAgainWithRedis('with the queues in Redis, killing a worker that changes messages', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  survivesItsWorkers(() => redis.url);
});
