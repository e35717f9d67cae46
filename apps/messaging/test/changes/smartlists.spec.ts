import type { SmsDetails } from '@gangan/contracts';
import { type MessageAction, sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import type { RequestContext } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryWorker, WorkerOutput } from '../support/delivery-worker.js';
import { ScriptedProvider } from '../support/scripted-provider.js';
import { SendingFixture } from '../support/sending-fixture.js';

const smartlistId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const never = new AbortController().signal;
const callback = 'https://example.com/callbacks';
const funds = 100_000_000n;
const price = 400n;
/** What is charged for a row before it is read: the dearest price. */
const reserved = 2_000n;

describe('a message to a smartlist that is paused, resumed or canceled', () => {
  const fixture = SendingFixture.use();
  let changes: ChangeWorker;
  beforeAll(async () => {
    await fixture.price('sms', '', reserved);
    await fixture.price('sms', '234', price);
    changes = await ChangeWorker.create(fixture.database);
  });
  beforeEach(async () => {
    fixture.smartlist.meanwhile = () => undefined;
    // The workers of the next test would submit what the last one left.
    await fixture.database.execute(
      sql`UPDATE delivery SET state = 'failed', next_attempt_at = NULL WHERE state IN ('queued', 'submitting')`,
    );
  });

  const fill = (rows: number): void => {
    fixture.smartlist.fill(Array.from({ length: rows }, (_, row) => ({ phone: `0803${1_000_000 + row}` })));
  };
  const send = async (context: RequestContext): Promise<string> => {
    const request = { smartlist_id: smartlistId, content: 'Hello', callback };
    return (await (await fixture.shared()).messages.send(request, context)).id;
  };
  const read = async (context: RequestContext, id: string): Promise<SmsDetails> =>
    (await fixture.shared()).messages.find({ id }, context);
  /** Runs a slice of the expansion that is due. @returns whether there was one */
  const expandSlice = async (slice = { rows: 3, pages: 1 }): Promise<boolean> => {
    const { repository, service } = await fixture.shared();
    const claimed = await repository.claimNext();
    if (claimed) await service.runSlice(claimed, never, slice);
    return claimed !== undefined;
  };
  const start = async (rows: number) => {
    const organisationId = await fixture.organisation({ kobo: funds });
    fill(rows);
    const context = fixture.contextOf(organisationId);
    return { organisationId, context, id: await send(context) };
  };
  const canceledCallbacks = async (organisationId: string) => {
    const rows = await fixture.database.callback.findMany({
      where: { organisationId, type: 'message.canceled' },
    });
    return rows.map(({ body }) => (JSON.parse(body) as { data: { refunded: number } }).data);
  };

  it('is not expanded further while it is paused, and then continues where it stopped', async () => {
    const { organisationId, context, id } = await start(7);
    expect(await expandSlice()).toBe(true);
    expect(await changes.change('pause', organisationId, id)).toMatchObject({ status: 'paused' });
    expect(await expandSlice()).toBe(false);
    expect(await read(context, id)).toMatchObject({
      status: 'paused',
      expansion: { state: 'expanding', rows: 3, recipients: 3 },
    });
    expect(await changes.change('resume', organisationId, id)).toMatchObject({ status: 'processing' });
    while (await expandSlice());
    const { expansion, deliveries } = await read(context, id);
    expect(expansion).toMatchObject({ state: 'done', rows: 7, recipients: 7, duplicates: 0 });
    expect(deliveries).toHaveLength(7);
    expect(await fixture.available(organisationId)).toBe(funds - 7n * price);
    await fixture.expectCleanLedger();
  });

  it.each(['pause', 'cancel'] as const)(
    'does not store a page that is being read at the time of %s',
    async (action) => {
      const { organisationId, context, id } = await start(7);
      let pages = 0;
      fixture.smartlist.meanwhile = async () => {
        if ((pages += 1) === 2) await changes.request(action, organisationId, id);
      };
      await expect(expandSlice({ rows: 3, pages: 9 })).rejects.toThrow(LeaseLostError);
      await changes.run();
      const { deliveries } = await read(context, id);
      expect(deliveries.map(({ status }) => status)).toEqual(
        Array(3).fill(action === 'pause' ? 'queued' : 'canceled'),
      );
      const [{ held } = { held: -1 }] = await fixture.database.query<{ held: number }>(sql`
      SELECT count(*)::int AS held FROM delivery WHERE message_id = ${id} AND next_attempt_at = 'infinity'`);
      expect(held).toBe(action === 'pause' ? 3 : 0);
      await changes.change('cancel', organisationId, id);
      expect(await fixture.available(organisationId)).toBe(funds);
      const { meta } = await read(context, id);
      expect(meta.refunded).toBe(meta.estimate.charge);
      const [first] = deliveries;
      const { messages } = await fixture.shared();
      const page = await messages.find({ id, after: first?.id ?? '' }, context);
      expect(page.meta).not.toHaveProperty('refunded');
      await fixture.expectCleanLedger();
    },
  );

  it('holds a page that is being stored when it is paused', async () => {
    const { organisationId, id } = await start(6);
    const { repository, service } = await fixture.shared();
    const claimed = await repository.claimNext();
    if (!claimed) throw new Error('nothing is due');
    let requested: Promise<unknown> | undefined;
    await fixture.database.transaction(async (transaction) => {
      // As the transaction that stores a page does.
      await transaction.query(sql`
        SELECT FROM message_expansion WHERE message_id = ${id}::uuid FOR NO KEY UPDATE`);
      requested = changes.request('pause', organisationId, id);
      await new Promise((resolve) => setTimeout(resolve, 50));
      await transaction.execute(sql`
        INSERT INTO delivery (id, organisation_id, lane, message_id, channel, recipient, recipient_given, pages, charge_kobo,
          next_attempt_at)
        VALUES (uuidv7(), ${organisationId}::uuid, 'sms', ${id}::uuid, 'sms', '+2348031234567', '08031234567', 1, 0, now())`);
    });
    await requested;
    await changes.run();
    const rows = await fixture.database.query<{ held: boolean }>(sql`
      SELECT next_attempt_at = 'infinity' AS held FROM delivery WHERE message_id = ${id}::uuid`);
    expect(rows).toEqual([{ held: true }]);
    await expect(service.runSlice(claimed, never)).rejects.toThrow(LeaseLostError);
  });

  it('is refunded completely if it is canceled before its smartlist is read', async () => {
    const { organisationId, context, id } = await start(5);
    await changes.change('cancel', organisationId, id);
    expect(await expandSlice()).toBe(false);
    expect(await read(context, id)).toMatchObject({
      status: 'canceled',
      deliveries: [],
      expansion: { state: 'canceled', rows: 0, charge: 0, returned: 100 },
      meta: { refunded: 100 },
    });
    expect(await fixture.available(organisationId)).toBe(funds);
    expect(await canceledCallbacks(organisationId)).toMatchObject([
      { id, canceled: 0, submitted: 0, refunded: 100 },
    ]);
    await fixture.expectCleanLedger();
  });

  const steps = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constant('expand' as const) },
      { weight: 4, arbitrary: fc.constant('submit' as const) },
      { weight: 3, arbitrary: fc.constant('job' as const) },
      { weight: 2, arbitrary: fc.constantFrom<MessageAction>('pause', 'resume') },
      { weight: 1, arbitrary: fc.constantFrom('cancel' as const, 'die' as const) },
    ),
    { minLength: 5, maxLength: 40 },
  );

  it('costs exactly what its submitted recipients cost, after any sequence of events', async () => {
    const output = new WorkerOutput();
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        steps,
        fc.infiniteStream(fc.nat(9)),
        async (rows, script, dice) => {
          const { organisationId, context, id } = await start(rows);
          const provider = new ScriptedProvider();
          const roll = (): number => dice.next().value as number;
          provider.onSubmit = ({ reference }) =>
            roll() < 7
              ? { kind: 'accepted', providerReference: `of-${reference}` }
              : { kind: 'transient', reason: { code: 'busy', message: 'Busy' } };
          const worker = await DeliveryWorker.create(fixture.database, output, { named: [provider] });
          const slice = { read: 3, held: 2, canceled: 2, batches: 2 };
          const makeDue = () =>
            fixture.database.execute(sql`
            UPDATE delivery SET next_attempt_at = now() - interval '1 ms'
            WHERE organisation_id = ${organisationId}::uuid AND state = 'queued' AND next_attempt_at < 'infinity'`);
          let status = 'processing';
          let sentBefore = 0;
          for (const step of script) {
            if (step === 'expand') await expandSlice({ rows: 2, pages: 1 });
            else if (step === 'job') await changes.runSlice(slice);
            else if (step === 'die') {
              await changes.repository.claimNext();
              await changes.makeDue();
            } else if (step === 'submit') {
              await makeDue();
              await worker.sweep();
              // From the response on, nothing goes out.
              if (status === 'paused' || status === 'canceled')
                expect(provider.submitted).toHaveLength(sentBefore);
            } else {
              const response = await changes.request(step, organisationId, id).catch((error: unknown) => {
                expect(error).toMatchObject({ status: 409 });
              });
              if (response) ({ status } = response);
            }
            sentBefore = provider.submitted.length;
          }
          await changes.run();
          if (status === 'paused') await changes.change('resume', organisationId, id);
          while (await expandSlice());
          for (let sweeps = 0; sweeps < 20; sweeps += 1) {
            await makeDue();
            await worker.sweep();
          }
          await changes.run();
          const { deliveries, expansion, ...message } = await read(context, id);
          const isCanceled = status === 'canceled';
          expect(message.status).toBe(isCanceled ? 'canceled' : 'completed');
          expect(await changes.jobs()).toBe(0);
          const sent = deliveries.filter((delivery) => delivery.status === 'sent');
          const others = new Set(deliveries.filter(({ refunded }) => refunded).map((each) => each.status));
          for (const other of others)
            expect(isCanceled ? ['canceled', 'failed'] : ['failed']).toContain(other);
          expect(sent.length + deliveries.filter(({ refunded }) => refunded).length).toBe(deliveries.length);
          if (!isCanceled) expect(deliveries).toHaveLength(rows);
          expect(expansion?.state).not.toBe('expanding');
          expect(await fixture.available(organisationId)).toBe(funds - BigInt(sent.length) * price);
          const { estimate, refunded = 0 } = message.meta;
          expect(Math.round((estimate.charge - refunded) * 100)).toBe(sent.length * Number(price));
          const callbacks = await canceledCallbacks(organisationId);
          expect(callbacks).toHaveLength(isCanceled ? 1 : 0);
          const canceled = deliveries.filter((delivery) => delivery.status === 'canceled').length;
          const unread = expansion?.state === 'canceled' ? (expansion.returned ?? 0) : 0;
          if (isCanceled)
            expect(callbacks).toMatchObject([
              { canceled, submitted: sent.length, refunded: canceled * 4 + unread },
            ]);
        },
      ),
      { numRuns: repetitions(5, 25) },
    );
    await fixture.expectCleanLedger();
  });
});
