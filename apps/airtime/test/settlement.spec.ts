import { lockWallets } from '@gangan/billing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Shop, type Worker } from './support/shop.js';

const callback = 'https://example.com/callbacks';

describe('a purchase', () => {
  let shop: Shop;
  let worker: Worker;
  beforeAll(async () => {
    shop = await Shop.open();
    worker = shop.worker();
  }, 60_000);
  afterAll(() => shop.close());
  afterEach(async () => {
    await shop.expectSoundLedger();
    expect(shop.ears.alarms.splice(0)).toEqual([]);
  });

  it('succeeds, and is earned once', async () => {
    const organisation = await shop.organisation(10_000n);
    const id = await shop.buy(worker, organisation, { callback });
    expect(await shop.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
    await worker.settlement.settle(id);
    expect(await shop.stored(id)).toEqual({
      state: 'success',
      refunded: false,
      attempt: 1,
      provider: 'simulator',
      code: null,
    });
    expect(await shop.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
    expect(await shop.reports(id)).toEqual(['airtime.success']);
    await worker.settlement.settle(id);
    expect((await shop.toppedUp()).filter(({ reference }) => reference === id)).toHaveLength(1);
  });

  it('fails, and its money goes back with the report', async () => {
    const organisation = await shop.organisation(10_000n);
    const id = await shop.buy(worker, organisation, { callback, recipient: '+2347000000002' });
    await worker.settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'invalid_number' });
    expect(await shop.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    expect(await shop.reports(id)).toEqual(['airtime.failed']);
  });

  it.each([
    ['+2347000000005', 'success', false, 0n],
    ['+2347000000006', 'failed', true, 10_000n],
  ])('of unknown outcome (%s) is sent, then %s when asked', async (recipient, state, refunded, available) => {
    const organisation = await shop.organisation(10_000n);
    const id = await shop.buy(worker, organisation, { callback, recipient });
    await worker.settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'sent', refunded: false });
    expect(await shop.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
    await worker.sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'sent' });
    await shop.pass(5_000);
    await worker.sweep();
    expect(await shop.stored(id)).toMatchObject({ state, refunded });
    expect(await shop.balances(organisation)).toEqual({ available, reserved: 0n });
    expect(await shop.reports(id)).toEqual(['airtime.sent', `airtime.${state}`]);
  });

  it.each([
    ['success', 0n],
    ['failed', 10_000n],
  ] as const)(
    'that stays unknown is an error after a day, until a person finds %s',
    async (found, available) => {
      const organisation = await shop.organisation(10_000n);
      const id = await shop.buy(worker, organisation, { callback, recipient: '+2347000000007' });
      await worker.settlement.settle(id);
      const sentAt = await shop.updatedAt(id);
      for (let asked = 0; asked < 5; asked += 1) {
        await shop.pass(60_000);
        await worker.sweep();
        expect(await shop.stored(id)).toMatchObject({ state: 'sent' });
        expect(await shop.updatedAt(id)).toEqual(sentAt);
      }
      await shop.pass(24 * 3_600_000);
      await worker.sweep();
      expect(await shop.stored(id)).toMatchObject({ state: 'error', refunded: false, code: 'no_answer' });
      expect(await shop.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
      expect(shop.ears.alarms.splice(0)).toEqual([expect.stringContaining('still unknown')]);
      await shop.pass(24 * 3_600_000);
      await worker.sweep();
      expect(await shop.stored(id)).toMatchObject({ state: 'error' });
      await shop.resolve(id, found);
      await worker.sweep();
      expect(await shop.stored(id)).toMatchObject({ state: found, refunded: found === 'failed' });
      expect(await shop.balances(organisation)).toEqual({ available, reserved: 0n });
      expect(await shop.reports(id)).toEqual(['airtime.sent', 'airtime.error', `airtime.${found}`]);
    },
  );

  it('whose event was lost is found, and only once', async () => {
    const organisation = await shop.organisation(10_000n);
    const id = await shop.buy(worker, organisation);
    await worker.sweep();
    expect(await shop.stored(id)).toMatchObject({ state: 'pending', attempt: 0 });
    await shop.pass(0);
    await Promise.all([shop.worker().sweep(), shop.worker().sweep(), worker.settlement.settle(id)]);
    expect(await shop.stored(id)).toMatchObject({ state: 'success' });
    expect((await shop.toppedUp()).filter(({ reference }) => reference === id)).toHaveLength(1);
  });

  it('a hundred times at once, on one wallet, with two workers', async () => {
    const organisation = await shop.organisation(1_000_000n);
    const workers = [worker, shop.worker()];
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, place) =>
        shop.buy(worker, organisation, { recipient: `0803${String(2_000_000 + place)}`, callback }),
      ),
    );
    await Promise.all(ids.flatMap((id) => workers.map(({ settlement }) => settlement.settle(id))));
    const states = await Promise.all(ids.map((id) => shop.stored(id)));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['success']));
    expect(await shop.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
  });

  it('does not wait for the wallet of a stranger', async () => {
    const [stuck, free] = [await shop.organisation(), await shop.organisation()];
    const waiting = await shop.buy(worker, stuck);
    const id = await shop.buy(worker, free);
    await shop.database.transaction(async (transaction) => {
      await lockWallets(transaction, [stuck]);
      const ended: string[] = [];
      const settling = [waiting, id].map((each) =>
        worker.settlement.settle(each).then(() => ended.push(each)),
      );
      await Promise.all(settling);
      expect(ended).toEqual([id, waiting]);
      expect(await shop.stored(id)).toMatchObject({ state: 'success' });
      expect(await shop.stored(waiting)).toMatchObject({ state: 'submitting' });
    });
    await shop.pass(0);
    await worker.sweep();
    expect(await shop.stored(waiting)).toMatchObject({ state: 'success' });
  });

  it('of a live organisation meets no simulator in production', async () => {
    const organisation = await shop.organisation(10_000n, 'live');
    const production = shop.worker({ inProduction: true });
    await expect(shop.buy(production, organisation)).rejects.toMatchObject({ status: 503 });
    expect(await shop.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    const id = await shop.buy(production, await shop.organisation(10_000n, 'test'));
    await production.settlement.settle(id);
    expect(await shop.stored(id)).toMatchObject({ state: 'success', provider: 'simulator' });
  });
});
