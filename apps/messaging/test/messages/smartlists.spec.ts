import { type SmsDetails, type SmsMessage } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId, type RequestContext } from '@gangan/protocol';
import { LeaseLostError } from '@gangan/leases';
import { repetitions } from '@gangan/testing';
import { beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { AudienceRepository } from '../../src/audience/audience.repository.js';
import { HeldExpansions } from '../../src/audience/held-expansions.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { MessageBodies } from '../../src/submit/message-bodies.js';
import { expectationOf, prices } from '../support/expansion-model.js';
import { SendingFixture } from '../support/sending-fixture.js';
import type { Contact } from '../support/scripted-smartlist.js';

const smartlistId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const never = new AbortController().signal;
const content = 'Dear {{Name}}, we are open.';
const textOf = (name: string): string => `Dear ${name}, we are open.`;
const funds = 10_000_000_000n;

class Crash extends Error {}

describe('messages to smartlists', () => {
  const fixture = SendingFixture.use();
  beforeAll(async () => {
    await fixture.price('sms', '', prices.elsewhere);
    await fixture.price('sms', '234', prices.nigeria);
  });
  beforeEach(() => {
    fixture.smartlist.meanwhile = () => undefined;
    fixture.announced.length = 0;
  });

  const send = async (context: RequestContext, fields: object = {}): Promise<SmsMessage> =>
    (await fixture.shared()).messages.send({ smartlist_id: smartlistId, content, ...fields }, context);
  const read = async (context: RequestContext, id: string, after?: string): Promise<SmsDetails> =>
    (await fixture.shared()).messages.find({ id, ...(after !== undefined && { after }) }, context);

  /** As if the lease of the worker had expired. */
  const expire = (): Promise<number> =>
    fixture.database.execute(sql`
      UPDATE message_expansion SET next_attempt_at = now() - interval '1 second' WHERE state = 'expanding'`);

  /** Runs slices until nothing is left to expand. After a crash the next worker continues. */
  const expand = async (pace = { rows: 3, pages: 2 }): Promise<void> => {
    const { repository, service } = await fixture.shared();
    for (let claimed = await repository.claimNext(); claimed; claimed = await repository.claimNext()) {
      try {
        await service.runSlice(claimed, never, pace);
      } catch (error) {
        if (!(error instanceof Crash) && !(error instanceof LeaseLostError)) throw error;
      }
      await expire();
    }
  };

  /** The text for each number. */
  const bodiesOf = async (organisationId: string): Promise<Map<string, string>> => {
    const due = await (await fixture.get(DueRepository)).findDue('sms', [organisationId], 10_000);
    const claimed = await (await fixture.get(ClaimsRepository)).claim(due, 'test');
    const bodies = await (await fixture.get(MessageBodies)).build(claimed);
    return new Map(
      claimed.map(({ id, recipient }) => {
        const body = bodies.get(id);
        return [recipient, body && 'text' in body ? body.text : ''];
      }),
    );
  };

  const contacts = fc.array(
    fc.record<Contact>({
      phone: fc.constantFrom(
        ...['08031234567', '+234 803 123 4567', '2348031234568', '0803-123-4568', '08031234569'],
        ...['+447911123456', '447911123457', '', 'no number', '08051234567', '08061234567'],
      ),
      cells: fc.record({
        Name: fc.oneof(
          { weight: 5, arbitrary: fc.string({ minLength: 1, maxLength: 200 }) },
          { weight: 1, arbitrary: fc.constantFrom('', 'x'.repeat(1_530), 'ọ'.repeat(700), '{{Name}}') },
        ),
      }),
    }),
    { minLength: 1, maxLength: 25 },
  );
  const steps = fc.infiniteStream(fc.constantFrom('go', 'go', 'go', 'crash', 'steal'));

  it('cost what their recipients cost, each once, even if workers die while they are expanded', async () => {
    await fc.assert(
      fc.asyncProperty(contacts, fc.constantFrom('live', 'test'), steps, async (list, mode, script) => {
        const organisationId = await fixture.organisation({ kobo: funds, mode, hasPrices: false });
        fixture.smartlist.fill(list);
        const expected = expectationOf(fixture.smartlist.rows, textOf, mode);
        const context = fixture.contextOf(organisationId);
        fixture.smartlist.meanwhile = () => undefined;
        const { id, recipients, meta } = await send(context);
        expect(recipients).toEqual([]);
        const reserved = BigInt(Math.round(meta.estimate.charge * 100));
        expect(await fixture.available(organisationId)).toBe(funds - reserved);
        const { repository, service } = await fixture.shared();
        let stealing = false;
        fixture.smartlist.meanwhile = async () => {
          const step = script.next().value as string;
          if (step === 'crash') throw new Crash();
          if (step !== 'steal' || stealing) return;
          stealing = true;
          await expire();
          const thief = await repository.claimNext();
          if (thief) await service.runSlice(thief, never, { rows: 2, pages: 1 }).catch(() => undefined);
          stealing = false;
        };
        await expand();
        const { expansion, deliveries } = await read(context, id);
        expect(expansion).toMatchObject({
          state: 'done',
          rows: list.length,
          recipients: expected.byNumber.size,
          duplicates: expected.duplicates,
          without_number: expected.withoutNumber,
          unsendable: expected.unsendable,
          unaffordable: 0,
          charge: Number(expected.kobo) / 100,
          returned: Number(reserved - expected.kobo) / 100,
        });
        expect(deliveries).toHaveLength(expected.byNumber.size);
        expect(await fixture.available(organisationId)).toBe(funds - expected.kobo);
        const letters = await bodiesOf(organisationId);
        const priced = [...expected.byNumber].filter(([, { kobo }]) => kobo !== undefined);
        expect(letters).toEqual(new Map(priced.map(([to, { text }]) => [to, text])));
        const stored = await fixture.database.query<{ recipient: string; kobo: bigint; error: string }>(sql`
          SELECT recipient, charge_kobo AS kobo, coalesce(error_code, '') AS error FROM delivery
          WHERE message_id = ${id}`);
        expect(new Map(stored.map(({ recipient, kobo, error }) => [recipient, [kobo, error]]))).toEqual(
          new Map(
            [...expected.byNumber].map(([to, { kobo }]) => [
              to,
              kobo === undefined ? [0n, 'no_price'] : [kobo, ''],
            ]),
          ),
        );
      }),
      { numRuns: repetitions(8, 40) },
    );
    await fixture.expectCleanLedger();
  });

  it('return the specified response, and the same again', async () => {
    const organisationId = await fixture.organisation({ kobo: 100_000n });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }]);
    const context = fixture.contextOf(organisationId);
    const answer = await send(context, { content: 'We are open.', external_ref: 'a' });
    expect(answer).toMatchObject({
      id: context.operationId,
      recipients: [],
      smartlist_id: smartlistId,
      content: 'We are open.',
      external_ref: 'a',
      meta: {
        method: 'POST',
        resource: '/sms/send',
        // Two rows, the dearest price, one page.
        estimate: { charge: 40, available_balance: 960, encoding: 'GSM-7', message_length: 12, pages: 1 },
      },
    });
    expect(await read(context, answer.id)).toMatchObject({
      deliveries: [],
      expansion: { state: 'expanding', rows: 0, charge: 0 },
    });
    await expand();
    fixture.smartlist.fill([]);
    expect(await send(context, { content: 'We are open.', external_ref: 'a' })).toEqual(answer);
    expect(await fixture.available(organisationId)).toBe(100_000n - 800n);
    expect(fixture.announced.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(2);
  });

  it('leave no trace if the balance is too low', async () => {
    const organisationId = await fixture.organisation({ kobo: 3_999n });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }]);
    const context = fixture.contextOf(organisationId);
    await expect(send(context, { content: 'Hello' })).rejects.toMatchObject({ status: 402 });
    expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
    expect(
      await fixture.database.query(sql`
      SELECT FROM message_expansion WHERE message_id = ${context.operationId}`),
    ).toEqual([]);
  });

  it('have all deliveries once their expansion is done', async () => {
    const organisationId = await fixture.organisation({ kobo: funds });
    fixture.smartlist.fill([{ phone: '08031234567' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    const spy = jest.spyOn(AudienceRepository.prototype, 'find').mockImplementationOnce(async (messageId) => {
      await expand();
      return (await fixture.shared()).repository.find(messageId);
    });
    expect(await read(context, id)).toMatchObject({ expansion: { state: 'done' }, deliveries: [{}] });
    spy.mockRestore();
  });

  it('are never sent to more recipients than were charged', async () => {
    const organisationId = await fixture.organisation({ kobo: 2_000n });
    fixture.smartlist.fill([{ phone: '08031234567', cells: { Name: 'Ada' } }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context);
    fixture.smartlist.fill(
      Array.from({ length: 7 }, (_, index) => ({ phone: `0803123456${index}`, cells: { Name: 'Ada' } })),
    );
    await expand();
    expect(await read(context, id)).toMatchObject({
      expansion: { state: 'done', rows: 7, recipients: 5, unaffordable: 2, charge: 20, returned: 0 },
    });
    expect(await fixture.available(organisationId)).toBe(0n);
    await fixture.expectCleanLedger();
  });

  it.each([
    ['leave out recipients who opted out, and return what they would cost', undefined, 2, 1],
    ['are sent to recipients who opted out if they are transactional', 'transactional', 3, 0],
  ])('%s', async (_, category, recipients, optedOut) => {
    const organisationId = await fixture.organisation({ kobo: funds });
    fixture.smartlist.fill([1, 2, 3].map((last) => ({ phone: `0803123456${last}` })));
    for (const channel of ['sms', 'whatsapp'] as const)
      await fixture.database.optOut.create({
        data: {
          id: newId(),
          organisationId,
          channel,
          phone: `+234803123456${channel === 'sms' ? 2 : 3}`,
          source: 'api',
        },
      });
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello', ...(category !== undefined && { category }) });
    await expand();
    const { expansion, deliveries } = await read(context, id);
    expect(expansion).toMatchObject({
      state: 'done',
      rows: 3,
      recipients,
      opted_out: optedOut,
      unaffordable: 0,
    });
    expect(deliveries).toHaveLength(recipients);
    expect(await fixture.available(organisationId)).toBe(funds - BigInt(recipients) * prices.nigeria);
    await fixture.expectCleanLedger();
  });

  it('reject recipients whose window on WhatsApp is closed, once and without a charge', async () => {
    const organisationId = await fixture.organisation({ kobo: funds });
    const closed = '+2347000000008';
    fixture.smartlist.fill(['08031234567', closed, '08031234568', '07000000008'].map((phone) => ({ phone })));
    const context = fixture.contextOf(organisationId);
    const callback = 'https://acme.example/';
    const { id } = await send(context, { content: 'Hello', channel: 'whatsapp', callback });
    await expand({ rows: 3, pages: 1 });
    const { expansion, deliveries } = await read(context, id);
    expect(expansion).toMatchObject({ state: 'done', rows: 4, recipients: 3, duplicates: 1 });
    const [rejected] = deliveries.filter(({ status }) => status === 'rejected');
    expect(rejected).toMatchObject({ recipient: closed, reason: { code: 'window_closed' }, charge: 0 });
    expect(deliveries.filter(({ status }) => status === 'queued')).toHaveLength(2);
    expect(fixture.announced.flatMap(({ deliveryIds }) => deliveryIds)).toHaveLength(2);
    const spent = deliveries.reduce((sum, { charge }) => sum + BigInt(charge * 100), 0n);
    expect(await fixture.available(organisationId)).toBe(funds - spent);
    const callbacks = await fixture.database.callback.findMany({ where: { organisationId } });
    expect(
      callbacks.map(({ type, body }) => [type, (JSON.parse(body) as { data: object }).data]),
    ).toMatchObject([
      [
        'message.rejected',
        {
          ...{ id, delivery_id: rejected?.id, recipient: closed, reason: { code: 'window_closed' } },
          created_datetime: rejected?.created_datetime,
        },
      ],
    ]);
    await fixture.expectCleanLedger();
  });

  it('reject recipients in other countries than the allowed ones, and return what they would cost', async () => {
    const settings = { sms: { countries: ['NG'] } };
    const organisationId = await fixture.organisation({ kobo: funds, settings });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '+447911123456' }, { phone: '+88213000000' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    await expand();
    const { expansion, deliveries } = await read(context, id);
    expect(expansion).toMatchObject({ state: 'done', rows: 3, recipients: 3, charge: 4, returned: 56 });
    expect(deliveries.map(({ status, reason, charge }) => [status, reason?.code, charge]).toSorted()).toEqual(
      [
        ['queued', undefined, 4],
        ['rejected', 'country_not_allowed', 0],
        ['rejected', 'country_not_allowed', 0],
      ],
    );
    expect(await fixture.available(organisationId)).toBe(funds - prices.nigeria);
    await fixture.expectCleanLedger();
  });

  it('are refused without any price on their channel', async () => {
    const organisationId = await fixture.organisation({ kobo: funds, mode: 'live', hasPrices: false });
    fixture.smartlist.fill([{ phone: '08031234567' }]);
    const context = fixture.contextOf(organisationId);
    await expect(send(context, { content: 'Hello', channel: 'whatsapp' })).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'smartlist_id', type: 'no_price' }],
    });
    expect(await fixture.traces(context.operationId)).toEqual({ messages: 0, deliveries: 0, charges: 0 });
  });

  it('have their own links for each recipient, also in cells', async () => {
    const organisationId = await fixture.organisation({ kobo: funds });
    const cells = { Name: 'Ada', Shop: 'https://a.example/1' };
    fixture.smartlist.fill([
      { phone: '08031234567', cells },
      { phone: '08031234568', cells },
    ]);
    const context = fixture.contextOf(organisationId);
    const text = `{{Name}}: {{Shop}} or https://b.example ${'x'.repeat(70)}`;
    const { id, meta } = await send(context, { content: text, is_trackable: true });
    expect(meta.estimate.pages).toBe(2);
    await expand();
    const letters = await bodiesOf(organisationId);
    const codes = await fixture.database.query<{ code: string; url: string }>(sql`
      SELECT code, url FROM tracked_link JOIN delivery ON delivery.id = delivery_id WHERE message_id = ${id}`);
    expect(codes.map(({ url }) => url).sort()).toEqual([
      'https://a.example/1',
      'https://a.example/1',
      'https://b.example',
      'https://b.example',
    ]);
    for (const { code } of codes)
      expect(
        [...letters.values()].filter((letter) => letter.includes(`https://sms.example/l/${code}`)),
      ).toHaveLength(1);
  });

  it('are read a thousand recipients at a time', async () => {
    const organisationId = await fixture.organisation({ kobo: funds });
    fixture.smartlist.fill(
      Array.from({ length: 2_003 }, (_, index) => ({ phone: `0803${1_000_000 + index}` })),
    );
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    await expand({ rows: 500, pages: 20 });
    const seen = new Set<string>();
    const sizes: number[] = [];
    let after: string | undefined;
    do {
      const { deliveries, meta } = await read(context, id, after);
      for (const { recipient } of deliveries) seen.add(recipient);
      sizes.push(deliveries.length);
      after = meta.pagination?.next;
    } while (after !== undefined);
    expect([sizes, seen.size]).toEqual([[1_000, 1_000, 3], 2_003]);
    const [other] = (await (await fixture.shared()).messages.list({ limit: 1 }, context)).messages;
    expect(other).toMatchObject({ id, recipients: [], smartlist_id: smartlistId });
  });

  it('count what an operator refunds of recipients that ended without an answer', async () => {
    const organisationId = await fixture.organisation({ kobo: 10_000n });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    await expand();
    const before = (await read(context, id)).meta.refunded ?? 0;
    await fixture.database.execute(sql`
      UPDATE delivery SET state = 'expired', error_code = 'no_answer', next_attempt_at = NULL,
        refunded = recipient = '+2348031234567' WHERE message_id = ${id}::uuid`);
    expect((await read(context, id)).meta.refunded).toBe(before + 4);
  });

  it('are refunded for the rest if they make no progress', async () => {
    const organisationId = await fixture.organisation({ kobo: 10_000n });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }, { phone: '08031234569' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    const { service, repository } = await fixture.shared();
    const claimed = await repository.claimNext();
    if (!claimed) throw new Error('nothing is due');
    await service.runSlice(claimed, never, { rows: 1, pages: 1 });
    await repository.fail(claimed, 'It stands still');
    await expect(repository.fail(claimed, 'It stands still')).rejects.toThrow(LeaseLostError);
    expect(await read(context, id)).toMatchObject({
      expansion: { state: 'failed', recipients: 1, charge: 4, returned: 56 },
    });
    expect(await fixture.available(organisationId)).toBe(9_600n);
    await expand();
    await fixture.expectCleanLedger();
  });

  it('are taken over if their worker has died: the next one continues after the last page', async () => {
    const organisationId = await fixture.organisation({ kobo: 10_000n });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }, { phone: '08031234569' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    const { service, repository, holder } = await fixture.shared();
    await expire();
    const claimed = await repository.claimNext();
    if (!claimed) throw new Error('nothing is due');
    let pages = 0;
    fixture.smartlist.meanwhile = () => {
      if ((pages += 1) === 2) throw new Crash();
    };
    await expect(service.runSlice(claimed, never, { rows: 1, pages: 3 })).rejects.toThrow(Crash);
    fixture.smartlist.meanwhile = () => undefined;
    expect(await repository.claimNext()).toBeUndefined();
    const takeOver = (dead: bigint) =>
      fixture.database.transaction((transaction) => holder.takeOver(transaction, dead));
    expect(await takeOver(holder.id + 1n)).toMatchObject({ message_expansion: 0 });
    expect(await takeOver(holder.id)).toMatchObject({ message_expansion: 1 });
    await expand();
    expect(await read(context, id)).toMatchObject({
      expansion: { state: 'done', recipients: 3, duplicates: 0 },
    });
    await fixture.expectCleanLedger();
  });

  it('are held while their organisation is suspended; after the validity period the rest is refunded', async () => {
    const organisationId = await fixture.organisation({ kobo: 10_000n });
    const setStatus = (status: 'active' | 'suspended') =>
      fixture.database.organisation.update({ where: { id: organisationId }, data: { status } });
    fixture.smartlist.fill([{ phone: '08031234567' }, { phone: '08031234568' }, { phone: '08031234569' }]);
    const context = fixture.contextOf(organisationId);
    const { id } = await send(context, { content: 'Hello' });
    const { service, repository } = await fixture.shared();
    await setStatus('suspended');
    await expire();
    expect(await repository.claimNext()).toBeUndefined();
    await setStatus('active');
    const claimed = await repository.claimNext();
    if (!claimed) throw new Error('nothing is due');
    await service.runSlice(claimed, never, { rows: 1, pages: 1 });
    await setStatus('suspended');
    expect(await repository.claimNext()).toBeUndefined();
    const held = await fixture.get(HeldExpansions);
    expect(await held.endLapsed()).toBe(false);
    expect(await read(context, id)).toMatchObject({ expansion: { state: 'expanding', recipients: 1 } });
    await fixture.database.execute(sql`
      UPDATE message_expansion SET next_attempt_at = now() - interval '24 hours 1 second' WHERE message_id = ${id}`);
    expect(await held.endLapsed()).toBe(true);
    expect(await held.endLapsed()).toBe(false);
    expect(await read(context, id)).toMatchObject({
      expansion: { state: 'failed', recipients: 1, charge: 4, returned: 56 },
    });
    expect(await fixture.available(organisationId)).toBe(9_600n);
    await fixture.expectCleanLedger();
  });

  it.each<[content: string, fault: object]>([
    ['Dear {{Nmae}}', { field: 'content', message: expect.stringContaining('{{Nmae}}') }],
    ['Dear {{First Name}}', { field: 'content', message: expect.stringContaining('{{First Name}}') }],
    ['x'.repeat(1_600), { field: 'content', type: 'string_too_long' }],
    ['{{Empty}}', { field: 'content', type: 'missing' }],
  ])('are refused with the text %#', async (text, fault) => {
    fixture.smartlist.fill([{ phone: '08031234567', cells: { Name: 'Ada', Empty: '' } }]);
    const context = fixture.contextOf(await fixture.organisation());
    await expect(send(context, { content: text })).rejects.toMatchObject({
      status: 400,
      fields: [expect.objectContaining(fault)],
    });
  });

  it('return all errors at once', async () => {
    fixture.smartlist.fill([{ phone: '08031234567', cells: { Name: 'Ada' } }]);
    const context = fixture.contextOf(await fixture.organisation({ senders: ['Shop'] }));
    const answer = send(context, { sender_id: 'Other', content: '{{Unknown}} {{a b}}' });
    await expect(answer).rejects.toMatchObject({
      fields: [{ field: 'sender_id' }, { field: 'content' }, { field: 'content' }],
    });
  });
});
