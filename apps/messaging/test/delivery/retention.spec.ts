import { charge, checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { aPayment } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createMessaging } from '../support/messaging-module.js';
import { StoredMessages, idOfAge } from '../support/stored-messages.js';

describe('the retention of messages', () => {
  let stored: StoredMessages;
  let pruner: Retention;
  let organisationId: string;
  beforeAll(async () => {
    stored = await StoredMessages.open();
    pruner = (await createMessaging(stored.database, { config: { MESSAGES_KEPT_DAYS: 90 } })).get(Retention);
    organisationId = await stored.organisation();
  });
  afterAll(() => stored.close());
  beforeEach(() => stored.database.execute(sql`DELETE FROM message`));

  /** Gives how many rounds it took. */
  const prune = async (): Promise<number> => {
    for (let rounds = 1; ; rounds += 1) if (!(await pruner.prune())) return rounds;
  };
  const left = async (): Promise<string[]> => {
    const rows = await stored.database.query<{ id: string }>(sql`SELECT id FROM message ORDER BY id`);
    return rows.map(({ id }) => id);
  };
  const deliveriesRead = async (): Promise<number> => {
    await stored.database.query(sql`SELECT pg_stat_force_next_flush()`);
    const [row] = await stored.database.query<{ rows: number }>(sql`
      SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'delivery'`);
    return row?.rows ?? 0;
  };
  const click = (code: string, ageDays: number) =>
    stored.database.execute(sql`INSERT INTO link_click (id, code) VALUES (${idOfAge(ageDays)}, ${code})`);

  it('keeps recent and unfinished messages', async () => {
    await stored.message({ organisationId, ageDays: 91, urls: ['https://example.com/'] });
    await stored.message({ organisationId, ageDays: 400, states: ['failed', 'expired', 'rejected'] });
    const kept = [
      await stored.message({ organisationId, ageDays: 92, states: ['delivered', 'queued'] }),
      await stored.message({ organisationId, ageDays: 91, states: ['submitting'] }),
      await stored.message({ organisationId, ageDays: 91, states: ['sent', 'undelivered'] }),
      await stored.message({ organisationId, ageDays: 89, urls: ['https://example.com/'] }),
    ];
    await prune();
    expect(await left()).toEqual(kept.map(({ id }) => id).sort());
    expect(await stored.counts()).toEqual({ messages: 4, deliveries: 6, attempts: 6, links: 1, clicks: 0 });
  });

  it('removes messages sooner for an organisation with a shorter period', async () => {
    const frugal = await stored.organisation();
    await stored.database.organisationRetention.create({
      data: { kind: 'messages', organisationId: frugal, days: 30 },
    });
    const longer = await stored.organisation();
    await stored.database.organisationRetention.create({
      data: { kind: 'messages', organisationId: longer, days: 400 },
    });
    const states = ['delivered', 'sent'] as const;
    const kept = [
      await stored.message({ organisationId: frugal, ageDays: 29 }),
      await stored.message({ organisationId: frugal, ageDays: 31, states: [...states] }),
      await stored.message({ organisationId, ageDays: 31 }),
      await stored.message({ organisationId: longer, ageDays: 31 }),
    ];
    for (let count = 0; count < 45; count += 1)
      await stored.message({ organisationId: frugal, ageDays: 31 + count });
    await stored.message({ organisationId: longer, ageDays: 91 });
    expect(await prune()).toBeGreaterThan(1);
    expect(await left()).toEqual(kept.map(({ id }) => id).sort());

    const received = (owner: string, ageDays: number) =>
      stored.database.incomingMessage.create({
        data: {
          id: idOfAge(ageDays),
          organisationId: owner,
          channel: 'sms',
          number: '32123',
          sender: '+2348031234567',
          type: 'text',
          provider: 'termii',
          providerReference: newId(),
        },
      });
    await received(frugal, 31);
    const recent = [await received(frugal, 29), await received(organisationId, 31)];
    await prune();
    const found = await stored.database.incomingMessage.findMany();
    expect(found.map(({ id }) => id).sort()).toEqual(recent.map(({ id }) => id).sort());
  });

  it('counts from the time of a scheduled message', async () => {
    const scheduled = async (ageDays: number) => {
      const { id } = await stored.message({ organisationId, ageDays: 150 });
      const sendAt = new Date(Date.now() - ageDays * 86_400_000);
      await stored.database.message.update({ where: { id }, data: { sendAt } });
      return id;
    };
    const kept = await scheduled(89);
    await scheduled(91);
    await prune();
    expect(await left()).toEqual([kept]);
  });

  it('keeps a message whose smartlist has not been read completely', async () => {
    const expansion = (messageId: string, isDone: boolean) =>
      stored.database.execute(sql`
        INSERT INTO message_expansion (message_id, organisation_id, list, state, next_attempt_at, ended_at)
        VALUES (${messageId}, ${organisationId}, '', ${isDone ? 'done' : 'expanding'}::expansion_state,
          ${isDone ? null : new Date()}, ${isDone ? new Date() : null})`);
    const [open, ended] = [
      await stored.message({ organisationId, ageDays: 91 }),
      await stored.message({ organisationId, ageDays: 91 }),
    ];
    await expansion(open.id, false);
    await expansion(ended.id, true);
    await prune();
    expect(await left()).toEqual([open.id]);
    expect(await stored.counts()).toMatchObject({ messages: 1, deliveries: 1 });
  });

  it('removes a message with everything that belongs to it', async () => {
    const { codes } = await stored.message({ organisationId, ageDays: 91, urls: ['https://example.com/'] });
    await click(codes[0]?.[0] ?? '', 5);
    await prune();
    expect(await stored.counts()).toEqual({ messages: 0, deliveries: 0, attempts: 0, links: 0, clicks: 0 });
  });

  it('removes in steps, even if one message has many recipients', async () => {
    const states = Array.from({ length: 1_200 }, () => 'delivered' as const);
    await stored.message({ organisationId, ageDays: 91, states });
    for (let count = 0; count < 45; count += 1) await stored.message({ organisationId, ageDays: 91 });
    await pruner.prune();
    expect(await stored.counts()).toMatchObject({ messages: 46, deliveries: 745 });
    expect(await prune()).toBeGreaterThan(2);
    expect(await stored.counts()).toMatchObject({ messages: 0, deliveries: 0 });
  });

  it('removes old clicks of messages that are kept', async () => {
    const { codes } = await stored.message({
      organisationId,
      ageDays: 91,
      states: ['sent'],
      urls: ['https://a.b/'],
    });
    for (const age of [91, 90.5, 1]) await click(codes[0]?.[0] ?? '', age);
    await prune();
    expect(await stored.counts()).toMatchObject({ messages: 1, links: 1, clicks: 1 });
  });

  it('removes in portions, without reading all deliveries of a very large message', async () => {
    const many = 20_000;
    const { id } = await stored.message({ organisationId, ageDays: 91 });
    await stored.database.execute(sql`
      INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, state, pages,
        charge_kobo)
      SELECT uuidv7(), ${organisationId}, 'sms', ${id}, 'sms', '+2348031234567', '', 'delivered', 1, 400
      FROM generate_series(1, ${many}::int)`);
    const before = await deliveriesRead();
    expect(await pruner.prune()).toBe(true);
    expect((await deliveriesRead()) - before).toBeLessThan(many / 10);
    await prune();
    expect(await left()).toEqual([]);
  });

  it('works in several workers at the same time', async () => {
    for (let count = 0; count < 60; count += 1) await stored.message({ organisationId, ageDays: 91 });
    await Promise.all([prune(), prune(), prune()]);
    expect(await left()).toEqual([]);
  });

  it('removes no money: charges stay in the ledger', async () => {
    const { id } = await stored.message({ organisationId, ageDays: 91 });
    await aPayment(stored.database, organisationId, 1_000n);
    await charge(stored.database, 'message', [{ subjectId: id, organisationId, kobo: 400n }]);
    await prune();
    const booked = await stored.database.query(
      sql`SELECT kind FROM ledger_movement WHERE subject_id = ${id}`,
    );
    expect(booked).toEqual([{ kind: 'charge' }]);
    expect(await checkLedger(stored.database)).toMatchObject({ clean: true });
  });

  it('keeps simulated messages until they are old and reported', async () => {
    const simulated = (ageDays: number, isDue: boolean) =>
      stored.database.execute(sql`
        INSERT INTO simulated_message (id, reference, channel, recipient, outcome, report, report_due_at)
        VALUES (${idOfAge(ageDays)}, ${newId()}, 'sms', '+2348031234567', 'accepted', 'delivered',
          ${isDue ? new Date() : null})`);
    await simulated(91, false);
    await simulated(91, true);
    await simulated(89, false);
    await prune();
    expect(
      await stored.database.query(
        sql`SELECT report_due_at IS NULL AS reported FROM simulated_message ORDER BY id`,
      ),
    ).toEqual([{ reported: false }, { reported: true }]);
  });
});
