import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Held, heldColumns } from '../src/settlement/held.js';
import { lockTwins } from '../src/settlement/twins.js';
import { Shop, type Worker } from './support/shop.js';

const callback = 'https://example.com/callbacks';

describe('the same purchase twice', () => {
  let shop: Shop;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    shop = await Shop.open();
    worker = shop.worker();
  }, 60_000);
  afterAll(() => shop.close());
  beforeEach(async () => {
    organisation = await shop.organisation(100_000_000n);
  });
  afterEach(() => shop.expectSoundLedger());

  const states = async (ids: readonly string[]): Promise<string[]> => {
    const rows = await Promise.all(ids.map((id) => shop.stored(id)));
    return rows.map(({ state, refunded }) => (refunded ? `${state}, refunded` : state));
  };

  it('is a duplicate, which is refunded and reported', async () => {
    const first = await shop.buy(worker, organisation, { callback });
    await worker.settlement.settle(first);
    const second = await shop.buy(worker, organisation, { callback });
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['success', 'duplicate, refunded']);
    expect(await shop.balances(organisation)).toEqual({ available: 99_990_000n, reserved: 0n });
    expect(await shop.reports(second)).toEqual(['airtime.duplicate']);
  });

  it('goes by the number, not by its spelling', async () => {
    const ids = [
      await shop.buy(worker, organisation),
      await shop.buy(worker, organisation, { recipient: '+234 803 123 4567' }),
    ];
    for (const id of ids) await worker.settlement.settle(id);
    expect(await states(ids)).toEqual(['success', 'duplicate, refunded']);
  });

  it.each([
    ['another network', { network: 'Glo' }],
    ['another amount', { amount: 100.01 }],
    ['another number', { recipient: '08031234568' }],
  ] as const)('is none with %s', async (_, wish) => {
    const ids = [await shop.buy(worker, organisation), await shop.buy(worker, organisation, wish)];
    for (const id of ids) await worker.settlement.settle(id);
    expect(await states(ids)).toEqual(['success', 'success']);
  });

  it('is none of another organisation', async () => {
    const ids = [await shop.buy(worker, organisation), await shop.buy(worker, await shop.organisation())];
    for (const id of ids) await worker.settlement.settle(id);
    expect(await states(ids)).toEqual(['success', 'success']);
  });

  const minute = 60_000;
  it.each<[refs: (string | undefined)[], ageMs: number, outcome: string]>([
    [[], minute - 5_000, 'duplicate, refunded'],
    [[], minute + 5_000, 'success'],
    [['a', 'b'], 0, 'success'],
    [['a', undefined], 0, 'duplicate, refunded'],
    [[undefined, 'a'], minute + 5_000, 'success'],
    [['a', 'a'], minute + 5_000, 'duplicate, refunded'],
    [['a', 'a'], 24 * 60 * minute - 5_000, 'duplicate, refunded'],
    [['a', 'a'], 24 * 60 * minute + 5_000, 'success'],
  ])('with the references %j after %d ms: %s', async (refs, ageMs, outcome) => {
    const [first, second] = [
      await shop.buy(worker, organisation, refOf(refs[0])),
      await shop.buy(worker, organisation, refOf(refs[1])),
    ];
    await worker.settlement.settle(first);
    await shop.age(first, ageMs);
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['success', outcome]);
  });

  it('may be bought again after a failure', async () => {
    const recipient = '+2347000000002';
    const failed = [await shop.buy(worker, organisation, { recipient })];
    await worker.settlement.settle(failed[0] ?? '');
    failed.push(await shop.buy(worker, organisation, { recipient }));
    await worker.settlement.settle(failed[1] ?? '');
    expect(await states(failed)).toEqual(['failed, refunded', 'failed, refunded']);
  });

  it('may be bought again after a duplicate, once the first is long ago', async () => {
    const ids = [await shop.buy(worker, organisation), await shop.buy(worker, organisation)];
    for (const id of ids) await worker.settlement.settle(id);
    await shop.age(ids[0] ?? '', minute + 5_000);
    const third = await shop.buy(worker, organisation);
    await worker.settlement.settle(third);
    expect(await states([...ids, third])).toEqual(['success', 'duplicate, refunded', 'success']);
  });

  it('counts while the outcome of the first is unknown, and while it is an error', async () => {
    const recipient = '+2347000000007';
    const first = await shop.buy(worker, organisation, { recipient });
    await worker.settlement.settle(first);
    const second = await shop.buy(worker, organisation, { recipient });
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['sent', 'duplicate, refunded']);
    await shop.pass(25 * 60 * minute);
    await worker.sweep();
    const third = await shop.buy(worker, organisation, { recipient });
    await worker.settlement.settle(third);
    expect(await states([first, third])).toEqual(['error', 'duplicate, refunded']);
  });

  it('while both wait, the earlier goes, whoever is looked at first', async () => {
    const [first, second] = [await shop.buy(worker, organisation), await shop.buy(worker, organisation)];
    await worker.settlement.settle(second);
    await worker.settlement.settle(first);
    expect(await states([first, second])).toEqual(['success', 'duplicate, refunded']);
  });

  it('one that has gone wins over an earlier one that came late', async () => {
    const [first, second] = [await shop.buy(worker, organisation), await shop.buy(worker, organisation)];
    await shop.age(first, 2 * minute);
    await worker.settlement.settle(second);
    await shop.age(first, -2 * minute);
    await worker.settlement.settle(first);
    expect(await states([first, second])).toEqual(['duplicate, refunded', 'success']);
  });

  it('is decided by one at a time, for whom nobody waits; the next sees what was decided', async () => {
    const [first, second] = [await shop.buy(worker, organisation), await shop.buy(worker, organisation)];
    await shop.database.transaction(async (transaction) => {
      const [held] = await transaction.query<Held>(
        sql`SELECT ${heldColumns} FROM airtime_purchase WHERE id = ${second}`,
      );
      await lockTwins(transaction, held as Held);
      await transaction.execute(sql`
        UPDATE airtime_purchase SET state = 'submitting', submitted_at = now(), provider = 'x' WHERE id = ${second}`);
      await worker.settlement.settle(first);
      expect(await states([first])).toEqual(['pending']);
    });
    await worker.settlement.settle(first);
    expect(await states([first, second])).toEqual(['duplicate, refunded', 'submitting']);
  });

  it('a hundred times at once, with three workers: one succeeds, the others are refunded', async () => {
    const workers = [worker, shop.worker(), shop.worker()];
    const recipient = '08039999999';
    const ids = await Promise.all(
      Array.from({ length: 100 }, async (_, place) => {
        const { service, settlement } = workers[place % 3] ?? worker;
        const id = await shop.buy({ service, settlement } as Worker, organisation, { recipient });
        await settlement.settle(id);
        return id;
      }),
    );
    await until('no purchase is pending', async () => {
      await shop.pass(0);
      await worker.sweep();
      return !(await states(ids)).includes('pending');
    });
    const ended = await states(ids);
    expect(ended.filter((state) => state === 'success')).toHaveLength(1);
    expect(ended.filter((state) => state === 'duplicate, refunded')).toHaveLength(99);
    expect((await shop.toppedUp()).filter((topUp) => topUp.recipient === '+2348039999999')).toHaveLength(1);
    expect(await shop.balances(organisation)).toEqual({ available: 99_990_000n, reserved: 0n });
  });
});

const refOf = (reference: string | undefined) => (reference === undefined ? {} : { external_ref: reference });
