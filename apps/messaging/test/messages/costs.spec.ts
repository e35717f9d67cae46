import { deliveryAttempts, sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { fakeInfobip, type FakeTermii, infobipReport, termiiPages, termiiReport } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { InboundRepository } from '../../src/inbound/inbound.repository.js';
import { InboundService } from '../../src/inbound/inbound.service.js';
import { LiveFixture } from '../support/live-fixture.js';
import { requestContents } from '../support/messaging-module.js';

describe('what providers charge', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let server: FakeTermii;
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE inbound_request, parked_report, message CASCADE`);
    server = await live.serveTermii();
  });

  const use = async (settings: object) => {
    await live.route([await live.add('termii', server, { settings })]);
  };
  const send = async (content: string) => {
    const [id = ''] = await live.send({ content });
    return id;
  };
  const costs = (id: string) =>
    fixture.database.query(sql`
      SELECT outcome, cost_micros AS micros, cost_currency AS currency FROM ${deliveryAttempts} AS made
      WHERE delivery_id = ${id}::uuid ORDER BY attempt`);
  const charged = (micros: bigint, currency = 'NGN') => [{ outcome: 'accepted', micros, currency }];
  const perPart = { any: '12', NG: '3.5', '234803': '3.200001' };
  /** A request of the provider, as a worker stores it. */
  const report = async (body: object, provider = 'termii'): Promise<void> => {
    const id = newId();
    const sealed = requestContents.seal({ query: '', body: JSON.stringify(body) }, id);
    await fixture.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
      VALUES (${id}::uuid, ${provider}, ${Buffer.from(id)}, 'POST', 'application/json', ${sealed}, ${dueNow})`);
    await live.worker.get(InboundService).readAll(await live.worker.get(InboundRepository).claimDue());
    expect(
      await fixture.database.query(
        sql`SELECT state::text, fault FROM inbound_request WHERE id = ${id}::uuid`,
      ),
    ).toEqual([{ state: 'handled', fault: null }]);
  };

  it('is the price of the longest prefix for each part, stored with the attempt', async () => {
    await use({ cost: { currency: 'NGN', perPart } });
    expect(await costs(await send('Hello'))).toEqual([
      { outcome: 'accepted', micros: 3_200_001n, currency: 'NGN' },
    ]);
    const { deliveries } = await fixture.accept(live.organisationId);
    await live.due(deliveries);
    expect(await costs(deliveries[0] ?? '')).toMatchObject([{ micros: 3_200_001n }]);
    expect(await costs(await send('x'.repeat(161)))).toMatchObject([{ micros: 6_400_002n }]);
  });

  it('is unknown without a price table, or if the message was not accepted', async () => {
    await use({ cost: { currency: 'NGN', perPart }, unanswered: 'wait' });
    server.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'failed', micros: null, currency: null }]);
    server.behaviour = () => 'lost';
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'unknown', micros: null, currency: null }]);
    server.behaviour = () => 'accept';
    await fixture.database.execute(sql`UPDATE provider SET settings = settings - 'cost' #- '{reports,cost}'`);
    await live.worker.providers.refresh();
    expect(await costs(await send('Hello'))).toEqual([{ outcome: 'accepted', micros: null, currency: null }]);
  });

  it('is the price in the answer, if it has one', async () => {
    // The answer of Termii has no price; its balance stands for one.
    await use({ cost: { currency: 'NGN', perPart, price: '/balance' } });
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 1_047_570_000n }]);
    await fixture.database.execute(sql`
      UPDATE provider SET settings = jsonb_set(settings, '{cost,price}', '"/nothing"')`);
    await live.worker.providers.refresh();
    expect(await costs(await send('Hello'))).toMatchObject([{ micros: 3_200_001n }]);
  });

  it('is that of the pages as the provider counts them', async () => {
    await use({ cost: { currency: 'NGN', perPart: { any: '3.2' } } });
    for (const [text, micros] of [
      ['x'.repeat(160), 3_200_000n],
      [`${'x'.repeat(69)};`, 3_200_000n],
      [`${'x'.repeat(70)};`, 6_400_000n],
      [`It's ${'x'.repeat(136)}`, 9_600_000n],
      // Two pages as we count them, too.
      [`${'ọ'.repeat(70)};`, 6_400_000n],
    ] as const) {
      expect(micros).toBe(3_200_000n * BigInt(termiiPages(text)));
      expect(await costs(await send(text))).toEqual(charged(micros));
    }
    const { deliveries } = await fixture.accept(live.organisationId, { content: `${'x'.repeat(70)}[` });
    await live.due(deliveries);
    expect(await costs(deliveries[0] ?? '')).toEqual(charged(6_400_000n));
    // Customers pay for our pages.
    expect(
      await fixture.database.query(
        sql`SELECT pages::int FROM delivery WHERE id = ANY (${deliveries}::uuid[])`,
      ),
    ).toEqual([{ pages: 1 }]);
  });

  it('may be that of more pages than customers pay for: an estimate says so', async () => {
    const sizeOf = async (content: string, organisationId = live.organisationId) => {
      const request = { recipients: '+2348031234567, +447911123456', sender_id: 'Acme', content };
      const estimated = await live.worker.estimates.estimate(request, newContext({ organisationId }));
      const { pages, provider_pages: counted, charge } = estimated.meta.estimate;
      return [pages, counted, charge];
    };
    await live.route([await live.add('plain', server, { settings: { pageRules: [{ single: 1_600 }] } })]);
    expect(await sizeOf(`${'x'.repeat(70)};`)).toEqual([1, undefined, 8]);
    const other = await live.add('other', server);
    // Only one of the recipients goes there.
    await live.route([other], { prefix: '234' });
    for (const [text, ...sizes] of [
      ['x'.repeat(160), 1, undefined, 8],
      [`${'x'.repeat(69)};`, 1, undefined, 8],
      [`${'x'.repeat(141)};`, 1, 3, 8],
      [`${'ọ'.repeat(70)};`, 2, undefined, 16],
    ] as const)
      expect(await sizeOf(text)).toEqual(sizes);
    // The simulator counts as we do.
    expect(await sizeOf(`${'x'.repeat(141)};`, await fixture.organisation())).toEqual([1, undefined, 8]);
  });

  it('is the price in a report, once, however often it is reported', async () => {
    await use({ cost: { currency: 'NGN', perPart } });
    const id = await send(`${'x'.repeat(70)};`);
    expect(await costs(id)).toEqual(charged(6_400_002n));
    const [message] = server.sent;
    if (!message) throw new Error('nothing was sent');
    await report(termiiReport(1, message, 3.9));
    expect(await costs(id)).toEqual(charged(7_800_000n));
    await report(termiiReport(1, message, 3.9));
    await report(termiiReport(1, message, 99, 'Message Failed'));
    expect(await costs(id)).toEqual(charged(7_800_000n));
    expect(await fixture.states([id])).toEqual(['delivered']);
  });

  it('is that of a report also if the message failed, or if the report came before the answer', async () => {
    await use({});
    const text = { to: '2348031234567', from: 'Acme', sms: 'Hello' };
    await report(termiiReport(1, text, 3.9));
    const first = await send('Hello');
    expect(await costs(first)).toEqual(charged(3_900_000n));
    const second = await send('Hello');
    expect(await costs(second)).toEqual([{ outcome: 'accepted', micros: null, currency: null }]);
    await report(termiiReport(2, text, 0.5, 'DND Active on Phone Number'));
    expect(await costs(second)).toEqual(charged(500_000n));
    expect(await fixture.states([first, second])).toEqual(['delivered', 'undelivered']);
  });

  it('is read from several reports, each with its currency and the price of one part', async () => {
    const infobip = await live.serve(fakeInfobip);
    await live.route([await live.add('infobip', infobip, { preset: 'infobip' })]);
    const ids = [await send('Hello'), await send('x'.repeat(307)), await send('Hi')];
    const results = infobip.sent.map((message) => infobipReport(message, 0.0123));
    await report({ results: [...results, ...results] }, 'infobip');
    for (const [index, micros] of [12_300n, 36_900n, 12_300n].entries())
      expect(await costs(ids[index] ?? '')).toEqual(charged(micros, 'EUR'));
  });

  /** https://www.plivo.com/docs/messaging/api/message/message-status-callbacks: the total of all units. */
  it('is found in a form, under the names that the settings say', async () => {
    const { reports: termiiReports } = { reports: { reference: '/MessageUUID', status: '/Status' } };
    await use({
      reports: {
        ...termiiReports,
        cost: { price: '/TotalAmount' },
        states: [{ status: ['delivered'], state: 'delivered' }],
      },
      cost: { currency: 'USD' },
    });
    const id = await send('Hello');
    const [{ reference } = { reference: '' }] = await fixture.database.query<{ reference: string }>(
      sql`SELECT provider_reference AS reference FROM delivery WHERE id = ${id}::uuid`,
    );
    const units = { MessageUUID: reference, Units: '2', TotalRate: '0.00350', TotalAmount: '0.00700' };
    await report({ ...units, Status: 'delivered' });
    expect(await costs(id)).toEqual(charged(7_000n, 'USD'));
  });
});
