import { historyOf } from '@gangan/billing';
import { formatTimestamp, type SmsDetails, type SmsMessage } from '@gangan/contracts';
import { setLimits, sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { invalidRequest, type RequestContext, unavailable } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { SendingFixture } from '../support/sending-fixture.js';

const smartlistId = '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42';
const never = new AbortController().signal;
const price = 400n;
const funds = 100_000n;

class Crash extends Error {}

describe('scheduled messages to smartlists', () => {
  const fixture = SendingFixture.use();
  let organisationId: string;
  let context: RequestContext;
  const setPrices = async (kobo: bigint): Promise<void> => {
    for (const prefix of ['', '234']) await fixture.price('sms', prefix, kobo);
  };
  beforeAll(() => setPrices(price));
  beforeEach(async () => {
    organisationId = await fixture.organisation({ kobo: funds });
    context = fixture.contextOf(organisationId);
    fixture.smartlist.meanwhile = () => undefined;
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await fixture.expectCleanLedger();
  });

  const contacts = (count: number, cells = {}) =>
    Array.from({ length: count }, (_, index) => ({ phone: `0803${1_000_000 + index}`, cells }));
  const send = async (fields: object = {}): Promise<SmsMessage> => {
    const send_at = formatTimestamp(new Date(Date.now() + 3_600_000));
    const request = { smartlist_id: smartlistId, content: 'We are open.', send_at, ...fields };
    return (await fixture.shared()).messages.send(request, context);
  };
  const read = async (id: string): Promise<SmsDetails> =>
    (await fixture.shared()).messages.find({ id }, context);
  /** As if its time had come, or the lease of its worker had expired. */
  const makeDue = (): Promise<number> =>
    fixture.database.execute(sql`
      UPDATE message_expansion SET next_attempt_at = now() - interval '1 second' WHERE state = 'expanding'`);
  const expand = async (pace = { rows: 3, pages: 2 }, options = {}): Promise<void> => {
    const { repository, service } = await fixture.expander(options);
    await makeDue();
    for (let claimed = await repository.claimNext(); claimed; claimed = await repository.claimNext()) {
      try {
        await service.runSlice(claimed, never, pace);
      } catch (error) {
        if (!(error instanceof Crash) && !(error instanceof LeaseLostError)) throw error;
      }
      await makeDue();
    }
  };
  const available = () => fixture.available(organisationId);
  const statuses = (deliveries: SmsDetails['deliveries']): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { status } of deliveries) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  };

  it('are charged at once, and not expanded before their time', async () => {
    fixture.smartlist.fill(contacts(3));
    const { id, meta } = await send();
    expect(meta.estimate.charge).toBe(12);
    expect(await available()).toBe(funds - 3n * price);
    expect(await (await fixture.shared()).repository.claimNext()).toBeUndefined();
    expect(await read(id)).toMatchObject({ deliveries: [], expansion: { state: 'expanding', rows: 0 } });
  });

  it('read the list at their time, and charge once what it has grown by', async () => {
    fixture.smartlist.fill(contacts(2));
    const { id } = await send();
    fixture.smartlist.fill(contacts(7));
    await expand();
    const { expansion, deliveries } = await read(id);
    expect(expansion).toMatchObject({
      ...{
        state: 'done',
        rows: 7,
        recipients: 7,
        unaffordable: 0,
        charge: 28,
        growth_charge: 20,
        returned: 0,
      },
    });
    expect(statuses(deliveries)).toEqual({ queued: 7 });
    expect(await available()).toBe(funds - 7n * price);
    const charges = await historyOf(fixture.database, { organisationId, limit: 10, kind: 'charge' });
    expect(charges.map(({ messageId, kobo }) => [messageId, kobo])).toEqual([
      [id, -5n * price],
      [id, -2n * price],
    ]);
  });

  describe('whose prices change before their time', () => {
    afterEach(() => setPrices(price));

    it.each([2n * price, price / 2n])(
      'cost what was charged at first, at a new price of %p kobo',
      async (later) => {
        organisationId = await fixture.organisation({ kobo: 5n * price });
        context = fixture.contextOf(organisationId);
        fixture.smartlist.fill(contacts(5));
        const { id } = await send();
        await setPrices(later);
        await expand();
        const { expansion, deliveries } = await read(id);
        expect(expansion).toMatchObject({ recipients: 5, unaffordable: 0, charge: 20, returned: 0 });
        expect(expansion).not.toHaveProperty('growth_charge');
        expect(statuses(deliveries)).toEqual({ queued: 5 });
        expect(await available()).toBe(0n);
        const stored = await fixture.database.messageExpansion.findUnique({ where: { messageId: id } });
        expect(stored).toMatchObject({ chargedRows: 5, chargedPrices: null });
      },
    );

    it('charge only the further recipients at the new price', async () => {
      fixture.smartlist.fill(contacts(2));
      const { id } = await send();
      fixture.smartlist.fill(contacts(7));
      await setPrices(2n * price);
      await expand();
      const { expansion, deliveries } = await read(id);
      expect(expansion).toMatchObject({ recipients: 7, charge: 48, growth_charge: 40, returned: 0 });
      expect(deliveries.map(({ charge }) => charge).toSorted()).toEqual([4, 4, 8, 8, 8, 8, 8]);
      expect(await available()).toBe(funds - 12n * price);
    });

    it('keep the price of each prefix', async () => {
      await fixture.price('sms', '', 5n * price);
      fixture.smartlist.fill(contacts(3));
      const { id } = await send();
      await setPrices(3n * price);
      await expand();
      expect((await read(id)).expansion).toMatchObject({ recipients: 3, charge: 12, returned: 48 });
      expect(await available()).toBe(funds - 3n * price);
    });
  });

  it('keep the prices of the acceptance, and reject recipients that had none', async () => {
    organisationId = await fixture.organisation({ kobo: funds, mode: 'live', hasPrices: false });
    context = fixture.contextOf(organisationId);
    fixture.smartlist.fill([...contacts(2), { phone: '+233201234567' }]);
    const { id, meta } = await send();
    expect(meta.estimate.charge).toBe(12);
    await fixture.price('sms', '233', 3n * price);
    fixture.smartlist.fill([...contacts(2), { phone: '+233201234567' }, { phone: '+233201234568' }]);
    await expand();
    const { expansion, deliveries } = await read(id);
    // The fourth recipient was not charged at first, and costs what is asked now.
    expect(expansion).toMatchObject({
      recipients: 4,
      unaffordable: 0,
      charge: 20,
      growth_charge: 12,
      returned: 4,
    });
    expect(deliveries.map(({ charge, reason }) => [charge, reason?.code]).toSorted()).toEqual([
      [0, 'no_price'],
      [12, undefined],
      [4, undefined],
      [4, undefined],
    ]);
    expect(await available()).toBe(funds - 5n * price);
    await fixture.database.price.deleteMany({ where: { prefix: '233' } });
  });

  it('are refunded in part if the list has become shorter', async () => {
    fixture.smartlist.fill(contacts(7));
    const { id } = await send();
    fixture.smartlist.fill(contacts(2));
    await expand();
    expect((await read(id)).expansion).toMatchObject({ recipients: 2, charge: 8, returned: 20 });
    expect((await read(id)).expansion).not.toHaveProperty('growth_charge');
    expect(await available()).toBe(funds - 2n * price);
  });

  it('reject the recipients that the balance does not cover, without a charge, each with a callback', async () => {
    organisationId = await fixture.organisation({ kobo: 4n * price });
    context = fixture.contextOf(organisationId);
    fixture.smartlist.fill(contacts(2));
    const { id } = await send({ callback: 'https://acme.example/' });
    fixture.smartlist.fill(contacts(7));
    await expand();
    const { expansion, deliveries } = await read(id);
    expect(expansion).toMatchObject({
      ...{ state: 'done', rows: 7, recipients: 2, unaffordable: 5, charge: 8, returned: 0 },
    });
    expect(statuses(deliveries)).toEqual({ queued: 2, rejected: 5 });
    expect(deliveries.filter(({ status }) => status === 'rejected')).toMatchObject(
      Array.from({ length: 5 }, () => ({ charge: 0, refunded: false, error: { code: 'unaffordable' } })),
    );
    const callbacks = await fixture.database.callback.findMany({ where: { organisationId, resourceId: id } });
    expect(callbacks.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => 'message.rejected'));
    expect(await available()).toBe(2n * price);
  });

  it('reject the recipients that a daily limit does not allow', async () => {
    fixture.smartlist.fill(contacts(2));
    const { id } = await send();
    fixture.smartlist.fill(contacts(7));
    // NGN 8 of it are spent.
    await setLimits(fixture.database, organisationId, { dailySpendKobo: 2_000n });
    await expand();
    const { expansion, deliveries } = await read(id);
    expect(expansion).toMatchObject({ recipients: 2, unaffordable: 5, charge: 8, returned: 0 });
    expect(statuses(deliveries)).toEqual({ queued: 2, rejected: 5 });
    expect(await available()).toBe(funds - 2n * price);
  });

  it('are tried again while contacts cannot be read', async () => {
    fixture.smartlist.fill(contacts(2));
    const { id } = await send();
    jest.spyOn(fixture.smartlist, 'open').mockRejectedValueOnce(unavailable());
    await expect(expand()).rejects.toMatchObject({ status: 503 });
    expect((await read(id)).expansion).toMatchObject({ state: 'expanding', rows: 0 });
    await expand();
    expect((await read(id)).expansion).toMatchObject({ state: 'done', recipients: 2 });
    expect(await available()).toBe(funds - 2n * price);
  });

  it.each([
    [
      'the smartlist is gone',
      () =>
        Promise.reject(
          invalidRequest([{ field: 'smartlist_id', message: 'is unknown', type: 'value_error' }]),
        ),
      'is unknown',
    ],
    ['a column of the text is gone', undefined, 'content: {{Name}} does not match a column of your contacts'],
  ])('fail with a refund and one callback if %s', async (_, open, reason) => {
    fixture.smartlist.fill(contacts(2, { Name: 'Ada' }));
    const { id } = await send({
      ...{ content: 'Dear {{Name}}', callback: 'https://acme.example/', external_ref: 'campaign-17' },
    });
    expect(await available()).toBeLessThan(funds);
    fixture.smartlist.fill(contacts(2));
    if (open) jest.spyOn(fixture.smartlist, 'open').mockImplementation(open);
    await expand();
    const { expansion, deliveries } = await read(id);
    expect(expansion).toMatchObject({ state: 'failed', rows: 0, charge: 0, reason });
    expect(deliveries).toEqual([]);
    expect(await available()).toBe(funds);
    const callbacks = await fixture.database.callback.findMany({ where: { organisationId } });
    expect(
      callbacks.map(({ type, resourceId, body }) => [type, resourceId, JSON.parse(body) as object]),
    ).toMatchObject([
      [
        'message.expansion_failed',
        id,
        { data: { id, channel: 'sms', reason, recipients: 0, refunded: 8, external_ref: 'campaign-17' } },
      ],
    ]);
  });

  it('cost what their recipients cost, however the list changes and whenever workers die', async () => {
    const steps = fc.infiniteStream(fc.constantFrom('go', 'go', 'go', 'crash', 'steal'));
    const size = fc.integer({ min: 1, max: 12 });
    /** By which the price is multiplied before the list is read. */
    const factor = fc.constantFrom(1n, 1n, 2n);
    await fc.assert(
      fc.asyncProperty(
        size,
        size,
        fc.bigInt(0n, 15n),
        factor,
        steps,
        async (first, then, spare, times, script) => {
          const start = (BigInt(first) + spare) * price;
          organisationId = await fixture.organisation({ kobo: start });
          context = fixture.contextOf(organisationId);
          fixture.smartlist.meanwhile = () => undefined;
          fixture.smartlist.fill(contacts(first));
          const { id } = await send();
          fixture.smartlist.fill(contacts(then));
          await setPrices(times * price);
          const { repository, service } = await fixture.shared();
          let isStealing = false;
          const disturb = async (): Promise<void> => {
            const step = script.next().value as string;
            if (step === 'crash') throw new Crash();
            if (step !== 'steal' || isStealing) return;
            isStealing = true;
            await makeDue();
            const thief = await repository.claimNext();
            if (thief) await service.runSlice(thief, never, { rows: 2, pages: 1 }).catch(() => undefined);
            isStealing = false;
          };
          fixture.smartlist.meanwhile = disturb;
          const open = fixture.smartlist.open.bind(fixture.smartlist);
          jest.spyOn(fixture.smartlist, 'open').mockImplementation(async (request) => {
            await disturb();
            return open(request);
          });
          await expand();
          jest.restoreAllMocks();
          await setPrices(price);
          const growth = BigInt(Math.max(0, then - first)) * times;
          const paid = growth <= spare ? then : first;
          const { expansion, deliveries } = await read(id);
          expect(expansion).toMatchObject({
            state: 'done',
            rows: then,
            recipients: paid,
            unaffordable: then - paid,
          });
          expect(statuses(deliveries)).toEqual({
            queued: paid,
            ...(then > paid && { rejected: then - paid }),
          });
          const cost = BigInt(Math.min(paid, first)) + (paid > first ? growth : 0n);
          expect(await available()).toBe(start - cost * price);
        },
      ),
      { numRuns: repetitions(8, 40) },
    );
  });
});
