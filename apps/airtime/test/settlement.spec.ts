import { lockWallets } from '@gangan/billing';
import { anEndpoint, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TestAirtime, type Worker } from './support/test-airtime.js';

const callback = 'https://example.com/callbacks';

describe('a purchase', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await airtime.worker();
  });
  afterAll(() => airtime.close());
  afterEach(async () => {
    await airtime.expectSoundLedger();
    expect(airtime.recorded.errors.splice(0)).toEqual([]);
  });

  it('succeeds and is charged once', async () => {
    const organisation = await airtime.organisation(10_000n);
    const id = await airtime.buy(worker, organisation, { callback });
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toEqual({
      state: 'success',
      refunded: false,
      attempt: 1,
      provider: 'simulator',
      code: null,
    });
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
    expect(await airtime.reports(id)).toEqual(['airtime.success']);
    await worker.settlement.settle(id);
    expect((await airtime.toppedUp()).filter(({ reference }) => reference === id)).toHaveLength(1);
  });

  it('is reported to the endpoints of its organisation, without a callback URL', async () => {
    const organisation = await airtime.organisation(20_000n);
    const endpoints = [
      await anEndpoint(airtime.database, organisation),
      await anEndpoint(airtime.database, organisation),
    ];
    await anEndpoint(airtime.database, organisation, { enabled: false });
    const [known, unknown] = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation, { recipient: '+2347000000005' }),
    ];
    await airtime.database.callbackEndpoint.updateMany({
      data: { events: ['airtime.sent', 'airtime.success'] },
    });
    await worker.settlement.settle(known);
    await worker.settlement.settle(unknown);
    const stored = await airtime.database.callback.findMany({ where: { organisationId: organisation } });
    expect(stored.map((row) => [row.endpointId, row.resourceId, row.type].join(' ')).toSorted()).toEqual(
      endpoints
        .flatMap((id) => [`${id} ${known} airtime.success`, `${id} ${unknown} airtime.sent`])
        .toSorted(),
    );
  });

  it('fails and is refunded, with a callback', async () => {
    const organisation = await airtime.organisation(10_000n);
    const id = await airtime.buy(worker, organisation, { callback, recipient: '+2347000000002' });
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'invalid_number',
    });
    expect(await airtime.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    expect(await airtime.reports(id)).toEqual(['airtime.failed']);
  });

  it.each([
    ['+2347000000005', 'success', false, 0n],
    ['+2347000000006', 'failed', true, 10_000n],
  ])(
    'with an unknown outcome (%s) is sent, then %s when queried',
    async (recipient, state, refunded, available) => {
      const organisation = await airtime.organisation(10_000n);
      const id = await airtime.buy(worker, organisation, { callback, recipient });
      await worker.settlement.settle(id);
      expect(await airtime.stored(id)).toMatchObject({ state: 'sent', refunded: false });
      expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state: 'sent' });
      await airtime.pass(5_000);
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state, refunded });
      expect(await airtime.balances(organisation)).toEqual({ available, reserved: 0n });
      expect(await airtime.reports(id)).toEqual(['airtime.sent', `airtime.${state}`]);
    },
  );

  it.each([
    ['success', 0n],
    ['failed', 10_000n],
  ] as const)(
    'that stays unknown is an error after a day, until an operator resolves it as %s',
    async (found, available) => {
      const organisation = await airtime.organisation(10_000n);
      const id = await airtime.buy(worker, organisation, { callback, recipient: '+2347000000007' });
      await worker.settlement.settle(id);
      const sentAt = await airtime.updatedAt(id);
      for (let round = 0; round < 5; round += 1) {
        await airtime.pass(60_000);
        await worker.sweep();
        expect(await airtime.stored(id)).toMatchObject({ state: 'sent' });
        expect(await airtime.updatedAt(id)).toEqual(sentAt);
      }
      await airtime.pass(24 * 3_600_000);
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state: 'error', refunded: false, code: 'no_answer' });
      expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
      expect(airtime.recorded.errors.splice(0)).toEqual([expect.stringContaining('still unknown')]);
      await airtime.pass(24 * 3_600_000);
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state: 'error' });
      await airtime.resolve(id, found);
      await worker.sweep();
      expect(await airtime.stored(id)).toMatchObject({ state: found, refunded: found === 'failed' });
      expect(await airtime.balances(organisation)).toEqual({ available, reserved: 0n });
      expect(await airtime.reports(id)).toEqual(['airtime.sent', 'airtime.error', `airtime.${found}`]);
    },
  );

  it.each(['success', 'failed'] as const)(
    'that waits for its outcome is settled when a statement proves a %s, also while a worker asks about it',
    async (found) => {
      const organisation = await airtime.organisation(10_000n);
      const buyUnknown = async (): Promise<string> => {
        const id = await airtime.buy(worker, organisation, { amount: 50, recipient: '+2347000000007' });
        await worker.settlement.settle(id);
        await airtime.age(id, 3_600_000);
        return id;
      };
      const [idle, claimed] = [await buyUnknown(), await buyUnknown()];
      await airtime.resolve(idle, found);
      await worker.sweep();
      expect(await airtime.stored(idle)).toMatchObject({ state: found });

      await airtime.pass(25 * 3_600_000);
      const [held] = await worker.claim();
      await airtime.resolve(claimed, found);
      // It was read before the resolution was stored, and gives up.
      if (held) await worker.settlement.resume(held);
      expect(await airtime.stored(claimed)).toMatchObject({ state: 'error' });
      await worker.sweep();
      expect(await airtime.stored(claimed)).toMatchObject({ state: found, refunded: found === 'failed' });
      expect(await airtime.balances(organisation)).toMatchObject({ reserved: 0n });
      airtime.recorded.errors.splice(0);
    },
  );

  it('whose event was lost is settled once by the sweeper', async () => {
    const organisation = await airtime.organisation(10_000n);
    const id = await airtime.buy(worker, organisation);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending', attempt: 0 });
    await airtime.pass(0);
    const sweeping = [await airtime.worker(), await airtime.worker()];
    await Promise.all([...sweeping.map((each) => each.sweep()), worker.settlement.settle(id)]);
    expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
    expect((await airtime.toppedUp()).filter(({ reference }) => reference === id)).toHaveLength(1);
  });

  it('is settled once among a hundred concurrent ones of one wallet in two workers', async () => {
    const organisation = await airtime.organisation(1_000_000n);
    // A call that takes longer than this ends as never arrived, which is right, but not what this test is about.
    const patient = { callMs: 60_000 };
    const workers = [await airtime.worker(patient), await airtime.worker(patient)];
    const toppedUpBefore = (await airtime.toppedUp()).length;
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        airtime.buy(worker, organisation, { recipient: `0803${String(2_000_000 + index)}`, callback }),
      ),
    );
    // One that waits too long for the wallet gives up, and is settled by the sweeper.
    await Promise.all(ids.flatMap((id) => workers.map(({ settlement }) => settlement.settle(id))));
    let unfinished: object[] = [];
    await until(
      'all purchases have succeeded',
      async () => {
        await airtime.pass(0);
        await Promise.all(workers.map((each) => each.sweep()));
        const purchases = await Promise.all(ids.map((id) => airtime.stored(id)));
        unfinished = purchases.filter(({ state }) => state !== 'success');
        return unfinished.length === 0;
      },
      { details: () => JSON.stringify(unfinished) },
    );
    expect(await airtime.toppedUp()).toHaveLength(toppedUpBefore + ids.length);
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
  });

  it('does not wait for the wallet of another organisation', async () => {
    const [stuck, free] = [await airtime.organisation(), await airtime.organisation()];
    const waiting = await airtime.buy(worker, stuck);
    const id = await airtime.buy(worker, free);
    await airtime.database.transaction(async (transaction) => {
      await lockWallets(transaction, [stuck]);
      const ended: string[] = [];
      const settling = [waiting, id].map((each) =>
        worker.settlement.settle(each).then(() => ended.push(each)),
      );
      await Promise.all(settling);
      expect(ended).toEqual([id, waiting]);
      expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
      expect(await airtime.stored(waiting)).toMatchObject({ state: 'submitting' });
    });
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(waiting)).toMatchObject({ state: 'success' });
  });

  it('of a live organisation uses the simulator only with SIMULATE_LIVE', async () => {
    const organisation = await airtime.organisation(10_000n, 'live');
    const withoutProvider = await airtime.worker();
    await expect(airtime.buy(withoutProvider, organisation)).rejects.toMatchObject({
      status: 503,
      message: expect.stringMatching(/^No airtime provider .* set SIMULATE_LIVE=true\.$/),
    });
    expect(await airtime.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    const simulating = await airtime.worker({ SIMULATE_LIVE: true });
    const customers = [
      [withoutProvider, await airtime.organisation(10_000n, 'test')],
      [simulating, organisation],
    ] as const;
    for (const [worker, customer] of customers) {
      const id = await airtime.buy(worker, customer);
      await worker.settlement.settle(id);
      expect(await airtime.stored(id)).toMatchObject({ state: 'success', provider: 'simulator' });
    }
  });
});
