import type { AirtimePurchase } from '@gangan/contracts';
import { BatchScope, newContext, newId, type RequestContext, runInContext } from '@gangan/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Shop, type Worker } from './support/shop.js';

const wish = { network: 'MTN', amount: 99.5, recipient: '0803 123 4567' } as const;

describe('buying', () => {
  let shop: Shop;
  let worker: Worker;
  beforeAll(async () => {
    shop = await Shop.open();
    worker = shop.worker();
  }, 60_000);
  afterAll(() => shop.close());
  afterEach(() => shop.expectSoundLedger());

  const contexts = (organisationId: string, count: number): RequestContext[] =>
    Array.from({ length: count }, () => newContext({ organisationId }));

  /** As the queue runs the members of one batch. */
  const buyTogether = (members: readonly RequestContext[], request: object = wish) => {
    const batch = new BatchScope(members.length);
    return Promise.allSettled(
      members.map((context) =>
        runInContext(context, () => worker.service.buy({ ...wish, ...request }, context), batch),
      ),
    );
  };

  it('answers as specified, and is told of afterwards', async () => {
    const organisationId = await shop.organisation(10_000n);
    const context = newContext({ organisationId });
    const asked = { ...wish, external_ref: 'order-17', callback: 'https://example.com/cb' };
    expect(await worker.service.buy(asked, context)).toEqual({
      id: context.operationId,
      recipient: '0803 123 4567',
      external_ref: 'order-17',
      callback: 'https://example.com/cb',
      status: 'pending',
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
      network: 'MTN',
      meta: {
        method: 'POST',
        resource: '/airtime/buy',
        charge: { amount: 99.5, available_balance: 0.5, balance_before: 100, refunded: false },
      },
    });
    expect(shop.ears.due).toContain(context.operationId);
  });

  it('leaves out what was not given', async () => {
    const answer = await worker.service.buy(wish, newContext({ organisationId: await shop.organisation() }));
    expect(Object.keys(answer).sort()).toEqual([
      'created_datetime',
      'id',
      'meta',
      'network',
      'recipient',
      'status',
    ]);
  });

  it('takes exactly what is there, and refuses one kobo more without a trace', async () => {
    const [exact, short] = [await shop.organisation(9_950n), await shop.organisation(9_949n)];
    const [paid] = await buyTogether(contexts(exact, 1));
    expect(paid).toMatchObject({
      status: 'fulfilled',
      value: { meta: { charge: { available_balance: 0 } } },
    });
    const member = contexts(short, 1);
    const [refused] = await buyTogether(member);
    expect(refused).toMatchObject({
      status: 'rejected',
      reason: { status: 402, code: 'insufficient_balance' },
    });
    expect(await shop.balances(short)).toEqual({ available: 9_949n, reserved: 0n });
    await expect(shop.stored(member[0]?.operationId ?? '')).rejects.toThrow('no such purchase');
    expect(shop.ears.due).not.toContain(member[0]?.operationId);
  });

  it('serves a batch with one statement, each member deciding alone, every balance following from the one before', async () => {
    const [poor, rich] = [await shop.organisation(9_950n * 3n), await shop.organisation(9_950n * 100n)];
    // What is remembered of organisations is remembered before.
    await Promise.all([buyTogether(contexts(poor, 1)), buyTogether(contexts(rich, 1))]);
    const statements = jest.spyOn(shop.database, 'query');
    const members = [...contexts(poor, 5), ...contexts(rich, 59)];
    const answers = await buyTogether(members);
    expect(statements).toHaveBeenCalledTimes(1);
    statements.mockRestore();
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    for (const organisation of [poor, rich]) {
      const charges = answers
        .filter((_, place) => members[place]?.organisationId === organisation)
        .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.meta.charge] : []));
      for (const [place, charge] of charges.entries()) {
        expect(Math.round((charge.balance_before - charge.amount) * 100)).toBe(
          Math.round(charge.available_balance * 100),
        );
        if (place > 0) expect(charge.balance_before).toBe(charges[place - 1]?.available_balance);
      }
    }
  });

  it('run again by the queue, meets its own row and answers the same, however far it has come', async () => {
    const organisationId = await shop.organisation(20_000n);
    const context = newContext({ organisationId });
    const first = await worker.service.buy(wish, context);
    await worker.settlement.settle(context.operationId);
    expect(await shop.stored(context.operationId)).toMatchObject({ state: 'success' });
    expect(await worker.service.buy(wish, context)).toEqual(first);
    const [one, two] = await buyTogether([context, context]);
    expect([one, two]).toEqual([
      { status: 'fulfilled', value: first },
      { status: 'fulfilled', value: first },
    ]);
    expect(await shop.balances(organisationId)).toEqual({ available: 10_050n, reserved: 0n });
  });

  it.each([
    ['recipient', { recipient: '112' }],
    ['recipient', { recipient: '+447911123456' }],
    ['amount', { amount: 0.001 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 0 }],
  ])('refuses a bad %s, though a gateway should have done so', async (field, request) => {
    const [refused] = await buyTogether(contexts(await shop.organisation(), 1), request);
    expect(refused).toMatchObject({ status: 'rejected', reason: { status: 400, fields: [{ field }] } });
  });

  it('can be looked at by its owner only, and tells why it failed', async () => {
    const organisationId = await shop.organisation();
    const context = newContext({ organisationId });
    const { id } = await worker.service.buy({ ...wish, recipient: '+2347000000002' }, context);
    await worker.settlement.settle(id);
    expect(await worker.service.find({ id: id.toUpperCase() }, context)).toMatchObject({
      id,
      status: 'failed',
      updated_datetime: expect.any(String),
      reason: { code: 'invalid_number', message: expect.any(String) },
      meta: { method: 'GET', resource: `/airtime/${id}`, charge: { amount: 99.5, refunded: true } },
    });
    const stranger = newContext({ organisationId: await shop.organisation() });
    for (const [asked, by] of [
      [id, stranger],
      [newId(), context],
      ['..', context],
      ['x'.repeat(500), context],
    ] as const) {
      await expect(worker.service.find({ id: asked }, by)).rejects.toMatchObject({
        status: 404,
        message: 'The purchase was not found',
      });
    }
  });

  it('is listed in pages, by status and by time', async () => {
    const organisationId = await shop.organisation();
    const context = newContext({ organisationId });
    const bought: AirtimePurchase[] = [];
    for (let place = 0; place < 7; place += 1) {
      const recipient = place % 2 === 0 ? `0803111000${place}` : '+2347000000002';
      const external_ref = `order-${place}`;
      bought.unshift(
        await worker.service.buy({ ...wish, recipient, external_ref }, newContext({ organisationId })),
      );
    }
    for (const { id } of bought.slice(1)) await worker.settlement.settle(id);
    const ids = bought.map(({ id }) => id);

    const seen: string[] = [];
    for (let before: string | undefined, more = true; more;) {
      const page = await worker.service.list({ limit: 3, ...(before !== undefined && { before }) }, context);
      expect(page.meta).toMatchObject({ method: 'GET', resource: '/airtime', pagination: { limit: 3 } });
      seen.push(...page.purchases.map(({ id }) => id));
      before = page.meta.pagination.next;
      more = before !== undefined;
    }
    expect(seen).toEqual(ids);

    const listed = async (request: object) =>
      (await worker.service.list(request, context)).purchases.map(({ id }) => ids.indexOf(id));
    expect(await listed({ status: 'failed' })).toEqual([1, 3, 5]);
    expect(await listed({ status: 'success' })).toEqual([2, 4, 6]);
    expect(await listed({ status: 'pending' })).toEqual([0]);
    expect(await listed({ status: 'duplicate' })).toEqual([]);
    const middle = bought[3]?.created_datetime ?? '';
    expect(await listed({ since: middle })).toEqual(expect.arrayContaining([0, 1, 2, 3]));
    expect(await listed({ until: middle })).not.toContain(3);
    expect(
      await listed({ until: middle, before: 'F'.repeat(8) + '-FFFF-FFFF-FFFF-FFFFFFFFFFFF' }),
    ).not.toContain(3);
    expect(await listed({ since: '2999-01-01' })).toEqual([]);
    const stranger = newContext({ organisationId: await shop.organisation() });
    expect((await worker.service.list({}, stranger)).purchases).toEqual([]);
  });
});
