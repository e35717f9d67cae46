import { setTimeout as sleep } from 'node:timers/promises';
import {
  cancelSms,
  createContactRow,
  formatTimestamp,
  listSmartlists,
  pauseSms,
  readContactTable,
  resumeSms,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { isFullSuite, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import type { RunningWorkers } from './running-workers.js';
import type { SendingOrganisation } from './sending-organisation.js';

const balance = 100_000_000n;
const price = 400n;

/** Requests of one organisation while workers are killed. The tests of their results are registered when it is created. */
export interface KillLoad {
  /** Whether its requests need a contacts worker. */
  readonly needsContacts?: boolean;
  prepare(workers: RunningWorkers): Promise<void>;
  /** Ends when the requests before one kill have their responses. */
  run(round: number): Promise<void>;
  /** Until nothing is left to do. */
  untilEnded(): Promise<void>;
}

/** The simulator can be asked, so that not even what a worker had in hand when it was killed is sent again. */
const expectTakenOnce = async (organisation: SendingOrganisation, count: number): Promise<void> => {
  const taken = await organisation.taken();
  expect(new Set(taken)).toEqual(new Set([1]));
  expect(taken).toHaveLength(count);
};

const expectSpent = async (organisation: SendingOrganisation, deliveries: number): Promise<void> => {
  const available = balance - BigInt(deliveries) * price;
  expect(await organisation.balances()).toEqual({ available, reserved: 0n });
};

/** Messages to one recipient, in the full suite also large ones. */
export function deliveryLoad(): KillLoad {
  const perRound = 200;
  const largeMessage = isFullSuite ? 200 : 0;
  const ids: string[] = [];
  let large = 0;
  let organisation: SendingOrganisation;

  /** Of ten, one is rejected and one is undelivered; both are refunded. */
  const recipientOf = (index: number): string => {
    if (index % 10 === 3) return '+2347000000002';
    return index % 10 === 7 ? '+2347000000004' : `+234803${1_000_000 + index}`;
  };

  it('end every delivery, send none twice, and charge and refund exactly', async () => {
    expect(new Set(ids).size).toBe(ids.length);
    const tenth = ids.length / 10;
    expect(await organisation.counts()).toEqual({
      delivered: 8 * tenth + large,
      rejected: tenth,
      undelivered: tenth,
    });
    await expectTakenOnce(organisation, ids.length + large);
    await expectSpent(organisation, 8 * tenth + large);
  });

  return {
    prepare: async (workers) => {
      organisation = await workers.organisation(balance);
    },
    run: async (round) => {
      const indexes = Array.from({ length: perRound }, (_, index) => round * perRound + index);
      const numbers = Array.from({ length: largeMessage }, (_, index) => `+234805${1_000_000 + index}`);
      large += numbers.length;
      const [accepted] = await Promise.all([
        Promise.all(indexes.map((index) => organisation.send(recipientOf(index)))),
        numbers.length > 0 && organisation.send(numbers.join(',')),
      ]);
      ids.push(...accepted);
    },
    untilEnded: () => organisation.untilEnded(),
  };
}

const actions = { pause: pauseSms, resume: resumeSms, cancel: cancelSms };

/** Messages to many recipients that are paused, resumed and canceled. */
export function changeLoad(random: () => number): KillLoad {
  const perRound = 6;
  const recipientsPerMessage = isFullSuite ? 500 : 200;
  const messages: { readonly id: string; readonly isCanceled: boolean }[] = [];
  let organisation: SendingOrganisation;
  let workers: RunningWorkers;

  const recipients = (message: number): string =>
    Array.from(
      { length: recipientsPerMessage },
      (_, index) => `+234803${1_000_000 + message * 1_000 + index}`,
    ).join(',');
  /**
   * In the fast suite, where a message to fewer recipients may be completed too soon, every sixth message is still scheduled
   * when it is canceled. The others are promotional, so not submitted at once.
   */
  const send = (message: number): Promise<string> => {
    const isScheduled = !isFullSuite && message % perRound === 2;
    return organisation.send(recipients(message), {
      callback: 'https://gangan.invalid/',
      category: 'promotional',
      ...(isScheduled && { send_at: formatTimestamp(new Date(Date.now() + 3_600_000)) }),
    });
  };
  /** @returns the status; undefined if the message was completed before */
  const change = async (action: keyof typeof actions, id: string): Promise<string | undefined> => {
    try {
      return (await organisation.request(actions[action], { id })).status;
    } catch (error) {
      if ((error as { status?: number }).status === 409) return undefined;
      throw error;
    }
  };
  const runMessage = async (index: number): Promise<void> => {
    const id = await send(index);
    if (index % 3 > 0) {
      await change('pause', id);
      await sleep(random() * 1_000);
      if (index % 3 === 1) await change('resume', id);
    }
    const isCanceled = index % 2 === 0 && (await change('cancel', id)) === 'canceled';
    if (!isCanceled) await change('resume', id);
    messages.push({ id, isCanceled });
  };

  it('send to each recipient of a changed message once or refund it, and report each cancellation once', async () => {
    const canceled = messages.filter(({ isCanceled }) => isCanceled);
    expect(canceled.length).toBeGreaterThan(0);
    const { delivered = 0, canceled: ended = 0, ...others } = await organisation.counts();
    expect(others).toEqual({});
    expect(delivered + ended).toBe(messages.length * recipientsPerMessage);
    expect(ended).toBeGreaterThan(0);
    await expectTakenOnce(organisation, delivered);
    await expectSpent(organisation, delivered);
    const reported = await workers.database.query<{ id: string; canceled: number; own: number }>(sql`
      SELECT resource_id AS id, (body::jsonb -> 'data' ->> 'canceled')::int AS canceled,
        (SELECT count(*)::int FROM delivery WHERE message_id = resource_id AND state = 'canceled') AS own
      FROM callback WHERE type = 'message.canceled' AND organisation_id = ${organisation.id}`);
    expect(reported.map(({ id }) => id).toSorted()).toEqual(canceled.map(({ id }) => id).toSorted());
    expect(reported.filter((each) => each.canceled !== each.own)).toEqual([]);
  });

  return {
    prepare: async (given) => {
      workers = given;
      organisation = await workers.organisation(balance);
    },
    run: async (round) => {
      const indexes = Array.from({ length: perRound }, (_, index) => round * perRound + index);
      await Promise.all(indexes.map(runMessage));
    },
    untilEnded: async () => {
      await organisation.untilEnded();
      const where = { organisationId: organisation.id };
      await until(
        'all changes are carried out',
        async () => (await workers.database.messageChange.count({ where })) === 0,
      );
    },
  };
}

/**
 * Scheduled messages, also to a smartlist that grows before they are sent. Their time comes before the first kill. The full
 * suite waits for it; the fast suite changes it in the database.
 */
export function scheduleLoad(): KillLoad {
  const singles = isFullSuite ? 100 : 50;
  /** The contacts when the message is accepted, and those that are added before it is sent. */
  const [first, added] = isFullSuite ? [300, 200] : [80, 40];
  const scheduledMs = isFullSuite ? 15_000 : 3_600_000;
  let organisation: SendingOrganisation;
  let workers: RunningWorkers;
  let list: string;
  let sendAt: Date;

  const addContacts = async (from: number, count: number): Promise<void> => {
    const { columns } = await organisation.request(readContactTable, {});
    const mobile = columns.find(({ name }) => name === 'Mobile')?.id ?? '';
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        organisation.request(createContactRow, {
          columns: { [mobile]: `+234805${1_000_000 + from + index}` },
        }),
      ),
    );
  };
  const sentEarly = async (): Promise<number> => {
    const rows = await workers.database.query(sql`
      SELECT FROM simulated_message JOIN delivery ON delivery.id = reference
      WHERE delivery.organisation_id = ${organisation.id} AND simulated_message.created_at < ${sendAt}`);
    return rows.length;
  };
  const expansion = async () => {
    const [row] = await workers.database.query<{ state: string; recipients: number; growth: bigint }>(sql`
      SELECT state, recipients, growth_kobo AS growth FROM message_expansion WHERE message_id = ${list}`);
    return row;
  };
  /** As if the time of the messages had come. */
  const makeDue = async (): Promise<void> => {
    const own = sql`organisation_id = ${organisation.id}`;
    sendAt = new Date();
    await workers.database.transaction(async (transaction) => {
      await transaction.execute(sql`UPDATE message SET send_at = now() WHERE ${own}`);
      await transaction.execute(
        sql`UPDATE delivery SET send_at = now(), next_attempt_at = ${dueNow} WHERE ${own}`,
      );
      await transaction.execute(sql`UPDATE message_expansion SET next_attempt_at = ${dueNow} WHERE ${own}`);
    });
  };

  it('send scheduled messages to each recipient once, not before their time, and charge exactly', async () => {
    const recipients = first + added;
    expect(await expansion()).toEqual({ state: 'done', recipients, growth: BigInt(added) * price });
    expect(await organisation.counts()).toEqual({ delivered: recipients + singles });
    await expectTakenOnce(organisation, recipients + singles);
    expect(await sentEarly()).toBe(0);
    await expectSpent(organisation, recipients + singles);
  });

  return {
    needsContacts: true,
    prepare: async (given) => {
      workers = given;
      organisation = await workers.organisation(balance);
      await addContacts(0, first);
      const [all] = await organisation.request(listSmartlists, {});
      sendAt = new Date(Date.now() + scheduledMs);
      const send_at = formatTimestamp(sendAt);
      list = await organisation.send(undefined, { smartlist_id: all?.id ?? '', send_at });
      const numbers = Array.from({ length: singles }, (_, index) => `+234803${1_000_000 + index}`);
      await Promise.all(numbers.map((number) => organisation.send(number, { send_at })));
      await addContacts(first, added);
      expect(await organisation.taken()).toEqual([]);
      if (isFullSuite) await sleep(Math.max(0, sendAt.getTime() - Date.now()));
    },
    run: async (round) => {
      if (round === 0 && !isFullSuite) await makeDue();
    },
    untilEnded: async () => {
      await until('the smartlist is expanded', async () => (await expansion())?.state !== 'expanding');
      await organisation.untilEnded();
    },
  };
}
