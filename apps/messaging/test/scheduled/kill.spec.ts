import { setTimeout as sleep } from 'node:timers/promises';
import { balancesOf, checkLedger } from '@gangan/billing';
import { createContactRow, formatTimestamp, listSmartlists, readContactTable } from '@gangan/contracts';
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

const random = seededRandom('scheduled kill test');

const kills = repetitions(2, 8);
const singles = 100;
/** The contacts when the message is accepted, and those that are added before it is sent. */
const [first, added] = [300, 200];
const start = 100_000_000n;
const price = 400n;

const recipientOf = (index: number): string => `+234803${1_000_000 + index}`;
const contactOf = (index: number): string => `+234805${1_000_000 + index}`;

/** Sends scheduled messages while workers are killed, on either queue backend. */
function sendsAtItsTime(redisUrl: () => string | undefined): void {
  let fixture: RunningWorkers;
  beforeAll(async () => {
    fixture = await RunningWorkers.open(start, redisUrl());
    await fixture.startContacts();
  });
  afterAll(() => fixture.close());

  const context = () => newContext({ organisationId: fixture.organisationId });
  const addContacts = async (from: number, count: number): Promise<void> => {
    const { client } = fixture.queues;
    const { columns } = await firstValueFrom(client.send(readContactTable, {}, context()));
    const mobile = columns.find(({ name }) => name === 'Mobile')?.id ?? '';
    for (let next = from; next < from + count; next += 50)
      await Promise.all(
        Array.from({ length: Math.min(50, from + count - next) }, (_, index) => {
          const row = { columns: { [mobile]: contactOf(next + index) } };
          return firstValueFrom(client.send(createContactRow, row, context()));
        }),
      );
  };
  const expansion = async (id: string) => {
    const [row] = await fixture.database.query<{ state: string; recipients: number; growth: bigint }>(sql`
      SELECT state, recipients, growth_kobo AS growth FROM message_expansion WHERE message_id = ${id}`);
    return row;
  };

  it('sends to each recipient once, at its time, and charges exactly', async () => {
    await addContacts(0, first);
    const [all] = await firstValueFrom(fixture.queues.client.send(listSmartlists, {}, context()));
    const sendAt = new Date(Date.now() + 8_000);
    const send_at = formatTimestamp(sendAt);
    const list = await fixture.send(undefined, { smartlist_id: all?.id ?? '', send_at });
    await Promise.all(
      Array.from({ length: singles }, (_, index) => fixture.send(recipientOf(index), { send_at })),
    );
    await addContacts(first, added);
    expect(await fixture.taken()).toEqual([]);
    await sleep(Math.max(0, sendAt.getTime() - Date.now()));
    for (let round = 0; round < kills; round += 1) {
      await sleep(random() * 1_500);
      await fixture.killAndReplace(round);
    }
    await until('the smartlist is expanded', async () => (await expansion(list))?.state !== 'expanding');
    await fixture.untilEnded();

    const recipients = first + added;
    expect(await expansion(list)).toEqual({ state: 'done', recipients, growth: BigInt(added) * price });
    expect(await fixture.counts()).toEqual({ delivered: recipients + singles });
    expect(new Set(await fixture.taken())).toEqual(new Set([1]));
    const [early] = await fixture.database.query<{ count: number }>(sql`
      SELECT count(*)::int AS count FROM simulated_message WHERE created_at < ${sendAt}`);
    expect(early?.count).toBe(0);
    expect(await balancesOf(fixture.database, fixture.organisationId)).toEqual({
      available: start - BigInt(recipients + singles) * price,
      reserved: 0n,
    });
    expect(await checkLedger(fixture.database)).toMatchObject({ clean: true, findings: [], warnings: [] });
  });
}

describe('with the queues in Postgres, killing the worker of scheduled messages', () => {
  sendsAtItsTime(() => undefined);
});

describeAgainWithRedis('with the queues in Redis, killing the worker of scheduled messages', () => {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  sendsAtItsTime(() => redis.url);
});
