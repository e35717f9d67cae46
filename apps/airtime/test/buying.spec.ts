import type { AirtimePurchase, BuyAirtimeRequest, ListAirtimeRequest } from '@gangan/contracts';
import { setLimits, sql } from '@gangan/database';
import { BatchScope, newContext, newId, type RequestContext, runInContext } from '@gangan/protocol';
import { anEndpoint, aWaitingCallback } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { TestAirtime, type Worker } from './support/test-airtime.js';

type ListFilter = Pick<ListAirtimeRequest, keyof ListAirtimeRequest>;

const order = { network: 'MTN', amount: 99.5, recipient: '0803 123 4567' } as const;

describe('buying', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await airtime.worker();
  });
  afterAll(() => airtime.close());
  afterEach(() => airtime.expectSoundLedger());

  const contexts = (organisationId: string, count: number): RequestContext[] =>
    Array.from({ length: count }, () => newContext({ organisationId }));

  /** Runs the members of one batch like the queue. */
  const buyTogether = (members: readonly RequestContext[], request: object = order) => {
    const batch = new BatchScope(members.length);
    return Promise.allSettled(
      members.map((context) =>
        runInContext(context, () => worker.service.buy({ ...order, ...request }, context), batch),
      ),
    );
  };

  it('responds as specified and announces the purchase', async () => {
    const organisationId = await airtime.organisation(10_000n);
    const context = newContext({ organisationId });
    const request = { ...order, external_ref: 'order-17', callback: 'https://example.com/cb' };
    expect(await worker.service.buy(request, context)).toEqual({
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
    expect(airtime.recorded.due).toContain(context.operationId);
  });

  it('rejects a new purchase with a callback URL when too many callbacks wait', async () => {
    const organisationId = await airtime.organisation();
    const [placed, refused] = [newContext({ organisationId }), newContext({ organisationId })];
    const request = { ...order, callback: 'https://example.com/cb' };
    const answer = await worker.service.buy(request, placed);
    await aWaitingCallback(airtime.database, organisationId);
    await setLimits(airtime.database, organisationId, { waitingCallbacks: 1 });
    // Another worker, which has not counted yet.
    const { service } = await airtime.worker();
    await expect(service.buy(request, refused)).rejects.toMatchObject({
      status: 429,
      code: 'too_many_callbacks',
    });
    await expect(service.find({ id: refused.operationId }, refused)).rejects.toMatchObject({ status: 404 });
    expect(await service.buy(request, placed)).toEqual(answer);
    await service.buy(order, newContext({ organisationId }));
  });

  it('rejects any purchase whose events an endpoint receives when too many callbacks wait', async () => {
    const organisationId = await airtime.organisation();
    await aWaitingCallback(airtime.database, organisationId);
    await setLimits(airtime.database, organisationId, { waitingCallbacks: 1 });
    const buy = async () => {
      const { service } = await airtime.worker();
      return service.buy(order, newContext({ organisationId }));
    };
    await anEndpoint(airtime.database, organisationId, { events: ['message.sent'] });
    await buy();
    await anEndpoint(airtime.database, organisationId, { events: ['airtime.failed'] });
    await expect(buy()).rejects.toMatchObject({ status: 429, code: 'too_many_callbacks' });
  });

  it('omits what was not given', async () => {
    const answer = await worker.service.buy(
      order,
      newContext({ organisationId: await airtime.organisation() }),
    );
    expect(Object.keys(answer).sort()).toEqual([
      'created_datetime',
      'id',
      'meta',
      'network',
      'recipient',
      'status',
    ]);
  });

  it('spends the whole balance, and rejects one kobo more without a trace', async () => {
    const [exact, short] = [await airtime.organisation(9_950n), await airtime.organisation(9_949n)];
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
    expect(await airtime.balances(short)).toEqual({ available: 9_949n, reserved: 0n });
    await expect(airtime.stored(member[0]?.operationId ?? '')).rejects.toThrow('no such purchase');
    expect(airtime.recorded.due).not.toContain(member[0]?.operationId);
  });

  it('serves a batch in one transaction, in which each purchase is decided alone', async () => {
    const [poor, rich] = [await airtime.organisation(9_950n * 3n), await airtime.organisation(9_950n * 100n)];
    // Fills the cache of organisation modes first.
    await Promise.all([buyTogether(contexts(poor, 1)), buyTogether(contexts(rich, 1))]);
    const methods = ['query', 'run', 'transaction'] as const;
    const calls = methods.map((method) => jest.spyOn(airtime.database, method));
    const members = [...contexts(poor, 5), ...contexts(rich, 59)];
    const answers = await buyTogether(members);
    expect(calls.map((spy) => spy.mock.calls.length)).toEqual([0, 0, 1]);
    for (const spy of calls) spy.mockRestore();
    expect(answers.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    for (const organisation of [poor, rich]) {
      const charges = answers
        .filter((_, index) => members[index]?.organisationId === organisation)
        .flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.meta.charge] : []));
      for (const [index, charge] of charges.entries()) {
        expect(Math.round((charge.balance_before - charge.amount) * 100)).toBe(
          Math.round(charge.available_balance * 100),
        );
        if (index > 0) expect(charge.balance_before).toBe(charges[index - 1]?.available_balance);
      }
    }
  });

  it('responds the same when the queue runs the request again', async () => {
    const organisationId = await airtime.organisation(20_000n);
    const context = newContext({ organisationId });
    const first = await worker.service.buy(order, context);
    await worker.settlement.settle(context.operationId);
    expect(await airtime.stored(context.operationId)).toMatchObject({ state: 'success' });
    expect(await worker.service.buy(order, context)).toEqual(first);
    const [one, two] = await buyTogether([context, context]);
    expect([one, two]).toEqual([
      { status: 'fulfilled', value: first },
      { status: 'fulfilled', value: first },
    ]);
    expect(await airtime.balances(organisationId)).toEqual({ available: 10_050n, reserved: 0n });
  });

  it.each([
    ['recipient', { recipient: '112' }],
    ['recipient', { recipient: '+447911123456' }],
    ['amount', { amount: 0.001 }],
    ['amount', { amount: -5 }],
    ['amount', { amount: 0 }],
  ])('rejects a bad %s, although the gateway checks it first', async (field, request) => {
    const [refused] = await buyTogether(contexts(await airtime.organisation(), 1), request);
    expect(refused).toMatchObject({ status: 'rejected', reason: { status: 400, fields: [{ field }] } });
  });

  it('shows a purchase only to its organisation, with the reason of a failure', async () => {
    const organisationId = await airtime.organisation();
    const context = newContext({ organisationId });
    const { id } = await worker.service.buy({ ...order, recipient: '+2347000000002' }, context);
    await worker.settlement.settle(id);
    expect(await worker.service.find({ id: id.toUpperCase() }, context)).toMatchObject({
      id,
      status: 'failed',
      updated_datetime: expect.any(String),
      reason: { code: 'invalid_number', message: expect.any(String) },
      meta: { method: 'GET', resource: `/airtime/${id}`, charge: { amount: 99.5, refunded: true } },
    });
    const stranger = newContext({ organisationId: await airtime.organisation() });
    for (const [wanted, by] of [
      [id, stranger],
      [newId(), context],
      ['..', context],
      ['x'.repeat(500), context],
    ] as const) {
      await expect(worker.service.find({ id: wanted }, by)).rejects.toMatchObject({
        status: 404,
        message: 'The purchase was not found',
      });
    }
  });

  it('lists purchases in pages, by status and by time', async () => {
    const organisationId = await airtime.organisation();
    const context = newContext({ organisationId });
    const bought: AirtimePurchase[] = [];
    for (let index = 0; index < 7; index += 1) {
      const recipient = index % 2 === 0 ? `0803111000${index}` : '+2347000000002';
      const external_ref = `order-${index}`;
      bought.unshift(
        await worker.service.buy({ ...order, recipient, external_ref }, newContext({ organisationId })),
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
    const stranger = newContext({ organisationId: await airtime.organisation() });
    expect((await worker.service.list({}, stranger)).purchases).toEqual([]);
  });

  it('finds purchases by recipient, reference, network and status, in any combination', async () => {
    const organisationId = await airtime.organisation();
    const [context, stranger] = [
      newContext({ organisationId }),
      newContext({ organisationId: await airtime.organisation() }),
    ];
    const bought: { readonly id: string; readonly request: BuyAirtimeRequest }[] = [];
    for (const network of ['MTN', 'Glo'] as const)
      for (const recipient of ['0803 222 0001', '+2347000000002'])
        for (const external_ref of ['order-1', 'order-2', 'order-3']) {
          const request = { ...order, network, recipient, external_ref };
          const { id } = await worker.service.buy(request, newContext({ organisationId }));
          await worker.settlement.settle(id);
          bought.unshift({ id, request });
        }
    const choices: readonly ListFilter[][] = [
      [{}, { status: 'failed' }, { status: 'success' }],
      [{}, { recipient: '234 803 222 0001' }, { recipient: '07000000002' }],
      [{}, { external_ref: 'order-1' }],
      [{}, { network: 'Glo' }],
    ];
    const filters = choices.reduce<ListFilter[]>(
      (all, values) => all.flatMap((one) => values.map((value) => ({ ...one, ...value }))),
      [{}],
    );
    const outcomes = { failed: '+2347000000002', success: '0803 222 0001' };
    const isFor = (recipient: string | undefined, given: string): boolean =>
      recipient === undefined || recipient.slice(-4) === given.slice(-4);
    for (const filter of filters) {
      const { status, recipient, external_ref, network } = filter;
      const expected = bought.filter(
        ({ request }) =>
          isFor(status && outcomes[status as keyof typeof outcomes], request.recipient) &&
          isFor(recipient, request.recipient) &&
          (external_ref ?? request.external_ref) === request.external_ref &&
          (network ?? request.network) === request.network,
      );
      const seen: string[] = [];
      for (let before: string | undefined, more = true; more;) {
        const request = { ...filter, limit: 2, ...(before !== undefined && { before }) };
        const page = await worker.service.list(request, context);
        seen.push(...page.purchases.map(({ id }) => id));
        before = page.meta.pagination.next;
        more = before !== undefined;
      }
      expect({ filter, seen }).toEqual({ filter, seen: expected.map(({ id }) => id) });
      expect((await worker.service.list(filter, stranger)).purchases).toEqual([]);
    }
  });

  it('compares at most 10,000 purchases with several filters, and says where to continue', async () => {
    const organisationId = await airtime.organisation();
    const context = newContext({ organisationId });
    const { id } = await worker.service.buy(
      { ...order, external_ref: 'bulk' },
      newContext({ organisationId }),
    );
    await airtime.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, state, external_ref, request_id)
      SELECT uuidv7(), organisation_id, 'Glo', recipient, recipient_given, amount_kobo, balance_before_kobo, 'duplicate',
        external_ref, request_id
      FROM airtime_purchase, generate_series(1, 10000) WHERE id = ${id}`);
    const filter = { external_ref: 'bulk', network: 'MTN', limit: 2 } as const;
    const first = await worker.service.list(filter, context);
    expect(first.purchases).toEqual([]);
    const { next = '' } = first.meta.pagination;
    const second = await worker.service.list({ ...filter, before: next }, context);
    expect(second).toMatchObject({ purchases: [{ id }], meta: { pagination: { limit: 2 } } });
    expect(second.meta.pagination.next).toBeUndefined();
    await airtime.database.execute(
      sql`DELETE FROM airtime_purchase WHERE organisation_id = ${organisationId} AND network = 'Glo'`,
    );
  });
});
