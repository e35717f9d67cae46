import type { EstimatedSms, SendSmsRequest, SmsMessage } from '@gangan/contracts';
import { type Database, sql } from '@gangan/database';
import { type AppError, newContext, newId, work } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import { SendingFixture } from '../support/sending-fixture.js';

/** The rows of every table, and the sum of all balances. */
async function countRows(database: Database): Promise<Record<string, string>> {
  const tables = await database.query<{ name: string }>(
    sql`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
  );
  expect(tables.length).toBeGreaterThan(20);
  const counts = await database.query<{ name: string; rows: string }>(sql`
    SELECT name, (xpath('/row/count/text()', query_to_xml(format('SELECT count(*) FROM %I', name), false, true, '')))[1]::text AS rows
    FROM unnest(${tables.map(({ name }) => name)}::text[]) AS own (name)
    UNION ALL SELECT 'balances', sum(balance)::text FROM ledger_account`);
  return Object.fromEntries(counts.map(({ name, rows }) => [name, rows]));
}

const faultsOf = async (work: Promise<unknown>): Promise<{ status: number; fields: unknown }> => {
  const error = await work.then(
    () => ({ status: 200, fields: [] }),
    (reason: unknown) => reason as AppError,
  );
  return { status: error.status, fields: error.fields };
};

describe('estimates', () => {
  const fixture = SendingFixture.use();
  let template: string;
  let organisationId: string;
  beforeAll(async () => {
    await fixture.price('sms', '', 2_000n);
    await fixture.price('sms', '234', 400n);
    await fixture.price('sms', '234805', 355n);
    await fixture.price('whatsapp', '', 750n);
    organisationId = await fixture.organisation({ kobo: 10_000n, senders: ['Known'] });
    template = await fixture.template(organisationId, { body: 'Dear {{name}}, see https://example.com/1' });
  });

  const estimate = async (request: SendSmsRequest): Promise<EstimatedSms> =>
    (await fixture.shared()).estimates.estimate(request, fixture.contextOf(organisationId));
  const send = async (request: SendSmsRequest): Promise<SmsMessage> =>
    (await fixture.shared()).messages.send(request, fixture.contextOf(organisationId));

  it('reads each number once, with as much work whatever its calling code', async () => {
    const workOf = async (prefix: string) => {
      const given = Array.from({ length: 1_000 }, (_, index) => `${prefix}${String(5_550_000 + index)}`);
      const before = { ...work };
      await estimate({ recipients: given.join(), content: 'Hello', sender_id: 'Known' });
      return {
        numbers: work.phonesRead - before.phonesRead,
        parsed: work.phonesParsed - before.phonesParsed,
      };
    };
    await workOf('+1012');
    for (const prefix of ['+234803', '+1012'])
      expect(await workOf(prefix)).toEqual({ numbers: 1_000, parsed: 1_000 });
  });

  const numbers = [
    ...['08031234567', '+234 803 123 4567', '2348031234568', '08051234567', '+447911123456'],
    ...['0803-123-4569', '+2347000000008'],
  ];
  const text = fc.oneof(
    fc.string({ minLength: 1, maxLength: 300 }),
    fc.constantFrom(
      'x'.repeat(161),
      'x'.repeat(1_531),
      'ọ'.repeat(71),
      '[',
      ' ',
      '{{name}}',
      '😀'.repeat(80),
    ),
    fc.constantFrom(
      'See https://example.com/orders/17 and http://a.b',
      `https://example.com/${'a'.repeat(150)}`,
    ),
  );
  const common = fc.record(
    {
      channel: fc.constantFrom('sms', 'whatsapp'),
      category: fc.constantFrom('transactional', 'promotional'),
      is_trackable: fc.boolean(),
      sender_id: fc.constantFrom('Known', 'Known', 'Known', 'Unknown'),
    },
    { requiredKeys: [] },
  );
  const recipients = fc
    .array(
      fc.oneof(
        { weight: 40, arbitrary: fc.constantFrom(...numbers) },
        { weight: 1, arbitrary: fc.constant('0803') },
      ),
      { minLength: 1, maxLength: 6 },
    )
    .chain((all) =>
      fc.record({
        recipients: fc.constant(all.join(', ')),
        personalisation: fc.array(
          fc.record({
            to: fc.constantFrom(...all),
            substitutions: fc.oneof(fc.record({ name: text }), fc.constant({})),
          }),
          { minLength: 1, maxLength: all.length },
        ),
      }),
    );
  const requests = fc
    .record({
      common,
      to: recipients,
      content: text,
      isTemplate: fc.boolean(),
      isUnknown: fc.nat({ max: 9 }),
    })
    .map(({ common: fields, to, content, isTemplate, isUnknown }): SendSmsRequest => {
      if (!isTemplate) return { ...fields, recipients: to.recipients, content };
      const template_id = isUnknown === 0 ? newId() : template;
      return { ...fields, ...to, template_id };
    });

  it('predict what a send charges, or its errors', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const before = await fixture.available(organisationId);
        const estimated = await estimate(request).catch(() => undefined);
        expect(await fixture.available(organisationId)).toBe(before);
        if (!estimated) {
          const refused = await faultsOf(estimate(request));
          expect(refused.status).toBe(400);
          expect(await faultsOf(send(request))).toEqual(refused);
          seen.set('refused', (seen.get('refused') ?? 0) + 1);
          return;
        }
        const { available_balance: available, charge, ...size } = estimated.meta.estimate;
        expect(estimated.affordable).toBe(charge <= available);
        if (!estimated.affordable) {
          expect((await faultsOf(send(request))).status).toBe(402);
          await fixture.fund(organisationId, 10_000n);
          seen.set('too expensive', (seen.get('too expensive') ?? 0) + 1);
          return;
        }
        const sent = await send(request);
        expect(estimated.recipient_count).toBe(sent.recipients.length);
        expect(sent.meta.estimate).toMatchObject({ charge, ...size });
        expect(before - (await fixture.available(organisationId))).toBe(BigInt(Math.round(charge * 100)));
        expect(available).toBe(Number(before) / 100);
        seen.set('sent', (seen.get('sent') ?? 0) + 1);
      }),
      { numRuns: repetitions(50, 300) },
    );
    expect([...seen.keys()].toSorted()).toEqual(['refused', 'sent', 'too expensive']);
    await fixture.expectCleanLedger();
  });

  it('store, charge and announce nothing', async () => {
    fixture.smartlist.fill([{ phone: '08031234567', cells: { Name: 'Ada' } }]);
    fixture.announced.length = 0;
    const before = await countRows(fixture.database);
    const number = { recipients: '08031234567' };
    await estimate({ ...number, content: 'See https://example.com', is_trackable: true });
    await estimate({ ...number, content: 'Hello', callback: 'https://example.com/', external_ref: 'one' });
    await estimate({ ...number, content: 'Hello', category: 'promotional', channel: 'whatsapp' });
    await estimate({ smartlist_id: newId(), content: 'Dear {{Name}}' });
    await expect(estimate({ ...number, content: 'Hello', sender_id: 'Unknown' })).rejects.toThrow();
    expect(await countRows(fixture.database)).toEqual(before);
    expect(fixture.announced).toEqual([]);
    await send({ ...number, content: 'Hello' });
    expect(await countRows(fixture.database)).not.toEqual(before);
  });

  it('of a smartlist show how many contacts it has, and what is charged at first', async () => {
    await fixture.fund(organisationId, 1_000_000n);
    fixture.smartlist.fill([
      { phone: '08031234567', cells: { Name: 'Ada' } },
      { phone: '0803 123 4567', cells: { Name: 'x'.repeat(200) } },
      { phone: '', cells: { Name: 'Obi' } },
    ]);
    const request = { smartlist_id: newId(), content: 'Dear {{Name}}' };
    const estimated = await estimate(request);
    // Three contacts, two pages, the highest price.
    expect(estimated).toMatchObject({
      content: 'Dear {{Name}}',
      recipient_count: 3,
      affordable: true,
      rejected: [],
      meta: { method: 'POST', resource: '/sms/estimate', estimate: { charge: 120, pages: 2 } },
    });
    const { available_balance: available, ...rest } = estimated.meta.estimate;
    expect((await send(request)).meta.estimate).toEqual({ ...rest, available_balance: available - 120 });
    fixture.smartlist.fill([]);
    await expect(estimate({ ...request, content: 'Dear {{Nmae}}' })).rejects.toMatchObject({ status: 400 });
  });

  it('accept a balance that is too low', async () => {
    const poor = fixture.contextOf(await fixture.organisation({ kobo: 399n }));
    const request = { recipients: '08031234567', content: 'Hello' };
    expect(await (await fixture.shared()).estimates.estimate(request, poor)).toMatchObject({
      affordable: false,
      meta: { estimate: { available_balance: 3.99, charge: 4 } },
    });
    await expect((await fixture.shared()).messages.send(request, poor)).rejects.toMatchObject({
      status: 402,
    });
    const exact = fixture.contextOf(await fixture.organisation({ kobo: 400n }));
    expect(await (await fixture.shared()).estimates.estimate(request, exact)).toMatchObject({
      affordable: true,
    });
  });
});

describe('estimates of messages that some recipients do not get', () => {
  const fixture = DeliveryFixture.use();
  const [listed, optedOut, both, neither] = ['08030000001', '08030000002', '08030000003', '08030000004'];
  const closed = '+2347000000008';
  const e164 = (number: string): string => `+234${number.slice(1)}`;
  let organisationId: string;
  beforeAll(async () => {
    const { database } = fixture;
    organisationId = await fixture.organisation();
    const importId = newId();
    await database.registryImport.create({
      data: { id: importId, registry: 'dnd', mode: 'merge', state: 'active', source: 'test' },
    });
    for (const number of [listed, both])
      await database.dndNumber.create({ data: { phone: e164(number), importId } });
    for (const channel of ['sms', 'whatsapp'])
      for (const number of [optedOut, both])
        await database.execute(sql`
          INSERT INTO opt_out (id, organisation_id, phone, channel, source)
          VALUES (${newId()}::uuid, ${organisationId}::uuid, ${e164(number)}, ${channel}::channel, 'api')`);
  });

  const cases: readonly (readonly [string, Partial<SendSmsRequest>, readonly string[]])[] = [
    [
      'a promotional SMS',
      { category: 'promotional' },
      [`${listed} dnd`, `${optedOut} opted_out`, `${both} opted_out`],
    ],
    ['a transactional SMS', { category: 'transactional' }, []],
    [
      'promotional free text on WhatsApp',
      { category: 'promotional', channel: 'whatsapp' },
      [`${optedOut} opted_out`, `${closed} window_closed`, `${both} opted_out`],
    ],
    ['free text on WhatsApp', { channel: 'whatsapp' }, [`${closed} window_closed`]],
  ];

  it.each(cases)('name the recipients that %s does not reach', async (_, fields, expected) => {
    const worker = await fixture.worker();
    const request = {
      recipients: [listed, optedOut, closed, neither, both].join(', '),
      content: 'Hello',
      ...fields,
    };
    const estimated = await worker.estimates.estimate(request, newContext({ organisationId }));
    const shown = estimated.rejected.map(({ recipient, reason: { code } }) => `${recipient} ${code}`);
    expect(shown).toEqual(expected);
    expect(estimated.recipient_count).toBe(5);
    const sent = await worker.messages.send(request, newContext({ organisationId }));
    expect(sent.meta.estimate.charge).toBe(estimated.meta.estimate.charge);
    await worker.idle();
    await worker.due(organisationId, worker.announced);
    const { deliveries } = await worker.messages.find({ id: sent.id }, newContext({ organisationId }));
    const refused = deliveries.flatMap(({ recipient, status, error }) =>
      status === 'rejected' ? [{ recipient, reason: error }] : [],
    );
    expect(refused).toEqual(estimated.rejected);
  });

  it('are refused if no recipient may get free text on WhatsApp', async () => {
    const request = { recipients: closed, content: 'Hello', channel: 'whatsapp' as const };
    await expect(
      (await fixture.worker()).estimates.estimate(request, newContext({ organisationId })),
    ).rejects.toMatchObject({ status: 400, fields: [{ field: 'recipients', type: 'window_closed' }] });
  });
});
