import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type ClaimedPurchase, claimedColumns } from '../src/purchase.js';
import type { AirtimeProvider } from '../src/providers/airtime-provider.js';
import { lockGroup } from '../src/settlement/duplicates.js';
import { SettlementRepository } from '../src/settlement/settlement.repository.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';

const callback = 'https://example.com/callbacks';

describe('a repeated purchase', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  let organisation: string;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await airtime.worker();
  });
  afterAll(() => airtime.close());
  beforeEach(async () => {
    organisation = await airtime.organisation(100_000_000n);
  });
  afterEach(() => airtime.expectSoundLedger());

  const states = async (ids: readonly string[]): Promise<string[]> => {
    const rows = await Promise.all(ids.map((id) => airtime.stored(id)));
    return rows.map(({ state, refunded }) => (refunded ? `${state}, refunded` : state));
  };

  const read = (id: string): Promise<ClaimedPurchase[]> =>
    airtime.database.query(sql`SELECT ${claimedColumns} FROM airtime_purchase AS purchase WHERE id = ${id}`);

  it('is refunded as a duplicate, with a callback', async () => {
    const first = await airtime.buy(worker, organisation, { callback });
    await worker.settlement.settle(first);
    const second = await airtime.buy(worker, organisation, { callback });
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['success', 'duplicate, refunded']);
    expect(await airtime.balances(organisation)).toEqual({ available: 99_990_000n, reserved: 0n });
    expect(await airtime.reports(second)).toEqual(['airtime.duplicate']);
  });

  it('is a duplicate in any spelling of the number', async () => {
    const ids = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation, { recipient: '+234 803 123 4567' }),
    ];
    for (const id of ids) await worker.settlement.settle(id);
    expect(await states(ids)).toEqual(['success', 'duplicate, refunded']);
  });

  it.each([
    ['another network', { network: 'Glo' }],
    ['another amount', { amount: 100.01 }],
    ['another number', { recipient: '08031234568' }],
  ] as const)('is no duplicate with %s', async (_, request) => {
    const ids = [await airtime.buy(worker, organisation), await airtime.buy(worker, organisation, request)];
    for (const id of ids) await worker.settlement.settle(id);
    expect(await states(ids)).toEqual(['success', 'success']);
  });

  it('is no duplicate of a purchase of another organisation', async () => {
    const ids = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, await airtime.organisation()),
    ];
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
  ])('with the references %j, repeated after %d ms, ends as %s', async (refs, ageMs, outcome) => {
    const first = await airtime.buy(worker, organisation, refOf(refs[0]));
    await worker.settlement.settle(first);
    await airtime.age(first, ageMs);
    const second = await airtime.buy(worker, organisation, refOf(refs[1]));
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['success', outcome]);
  });

  it('is no duplicate of a failed purchase', async () => {
    const recipient = '+2347000000002';
    const failed = [await airtime.buy(worker, organisation, { recipient })];
    await worker.settlement.settle(failed[0] ?? '');
    failed.push(await airtime.buy(worker, organisation, { recipient }));
    await worker.settlement.settle(failed[1] ?? '');
    expect(await states(failed)).toEqual(['failed, refunded', 'failed, refunded']);
  });

  it('is no duplicate of a duplicate once the first is old enough', async () => {
    const ids = [await airtime.buy(worker, organisation), await airtime.buy(worker, organisation)];
    for (const id of ids) await worker.settlement.settle(id);
    await airtime.age(ids[0] ?? '', minute + 5_000);
    const third = await airtime.buy(worker, organisation);
    await worker.settlement.settle(third);
    expect(await states([...ids, third])).toEqual(['success', 'duplicate, refunded', 'success']);
  });

  it('is a duplicate while the outcome of the first is unknown or an error', async () => {
    const recipient = '+2347000000007';
    const first = await airtime.buy(worker, organisation, { recipient });
    await worker.settlement.settle(first);
    const second = await airtime.buy(worker, organisation, { recipient });
    await worker.settlement.settle(second);
    expect(await states([first, second])).toEqual(['sent', 'duplicate, refunded']);
    await airtime.pass(25 * 60 * minute);
    await worker.sweep();
    const third = await airtime.buy(worker, organisation, { recipient });
    await worker.settlement.settle(third);
    expect(await states([first, third])).toEqual(['error', 'duplicate, refunded']);
  });

  it('is the duplicate of the earlier one while both are pending, in any order', async () => {
    const [first, second] = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation),
    ];
    await worker.settlement.settle(second);
    await worker.settlement.settle(first);
    expect(await states([first, second])).toEqual(['success', 'duplicate, refunded']);
  });

  it('wins if it was submitted before an earlier purchase arrived', async () => {
    const [first, second] = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation),
    ];
    await airtime.age(first, 2 * minute);
    await worker.settlement.settle(second);
    await airtime.age(first, -2 * minute);
    await worker.settlement.settle(first);
    expect(await states([first, second])).toEqual(['duplicate, refunded', 'success']);
  });

  it('is decided by one worker at a time; the next waits and sees the decision', async () => {
    const [first, second] = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation),
    ];
    const { settled } = await airtime.database.transaction(async (transaction) => {
      await lockGroup(transaction, await read(second));
      const settling = worker.settlement.settle(first);
      await transaction.execute(sql`
        UPDATE airtime_purchase SET state = 'submitting', submitted_at = now(), provider = 'x' WHERE id = ${second}`);
      expect(await states([first])).toEqual(['pending']);
      return { settled: settling };
    });
    await settled;
    expect(await states([first, second])).toEqual(['duplicate, refunded', 'submitting']);
  });

  it('waits in one batch for a lock that stays held, and is then released', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => airtime.buy(worker, organisation)));
    await airtime.pass(0);
    const claimed = await worker.claim();
    const decisions = jest.spyOn(SettlementRepository.prototype, 'startSubmissions');
    await airtime.database.transaction(async (transaction) => {
      await lockGroup(transaction, await read(ids[0] ?? ''));
      await Promise.allSettled(claimed.map((purchase) => worker.settlement.resume(purchase)));
    });
    expect(decisions.mock.calls.map(([submissions]) => submissions.length)).toEqual([1, 4]);
    decisions.mockRestore();
    expect(await worker.takeOver()).toBe(0);
    await airtime.pass(0);
    await worker.sweep();
    expect((await states(ids)).toSorted()).toEqual([
      ...Array<string>(4).fill('duplicate, refunded'),
      'success',
    ]);
  });

  it('is submitted once if its event and the sweeper put it into one batch', async () => {
    const submitted: string[] = [];
    const provider: AirtimeProvider = {
      name: 'counting',
      submit: ({ reference }) => {
        submitted.push(reference);
        return Promise.resolve({ kind: 'success' });
      },
      query: () => Promise.resolve({ kind: 'not_found' }),
    };
    const own = await airtime.worker({ named: [provider] });
    const ids = [
      await airtime.buy(own, organisation, { external_ref: 'a' }),
      await airtime.buy(own, organisation, { external_ref: 'b' }),
    ];
    const decisions = jest.spyOn(SettlementRepository.prototype, 'startSubmissions');
    const { settling } = await airtime.database.transaction(async (transaction) => {
      await lockGroup(transaction, await read(ids[0] ?? ''));
      const first = own.settlement.settle(ids[0] ?? '');
      await until('the first batch waits', () => decisions.mock.calls.length > 0);
      const events = (await read(ids[1] ?? '')).map((purchase) => own.settlement.resume(purchase));
      await airtime.pass(0);
      const claimed = (await own.claim()).filter(({ id }) => id === ids[1]);
      expect(claimed).toHaveLength(1);
      return { settling: [first, ...events, ...claimed.map((purchase) => own.settlement.resume(purchase))] };
    });
    await Promise.all(settling);
    decisions.mockRestore();
    expect(submitted.filter((reference) => reference === ids[1])).toHaveLength(1);
    expect((await states(ids)).at(1)).toBe('success');
    await airtime.pass(0);
    await own.sweep();
  });

  it('is decided in few transactions if it is repeated a hundred times', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => airtime.buy(worker, organisation)));
    const transactions = jest.spyOn(airtime.database, 'transaction');
    await Promise.all(ids.map((id) => worker.settlement.settle(id)));
    expect(transactions.mock.calls.length).toBeLessThan(20);
    transactions.mockRestore();
    expect((await states(ids)).toSorted()).toEqual([
      ...Array<string>(99).fill('duplicate, refunded'),
      'success',
    ]);
  });

  it('also ends duplicates whose events have not arrived yet', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => airtime.buy(worker, organisation)));
    await worker.settlement.settle(ids[4] ?? '');
    expect((await states(ids)).toSorted()).toEqual([
      ...Array<string>(4).fill('duplicate, refunded'),
      'pending',
    ]);
  });

  it('is compared only with purchases that can match', async () => {
    const buy = (external_ref: string) => airtime.buy(worker, organisation, { external_ref });
    const others = await Promise.all(Array.from({ length: 20 }, (_, index) => buy(`other ${String(index)}`)));
    await Promise.all(others.slice(10).map((id) => worker.settlement.settle(id)));
    const [first, second] = [await buy('a'), await buy('a')];
    const purchases = await read(second);
    const group = await airtime.database.transaction((transaction) => lockGroup(transaction, purchases));
    expect(group.map(({ id }) => id)).toEqual([first, second]);
  });

  it('does not count for later ones if it is a duplicate whose event has not arrived yet', async () => {
    const first = await airtime.buy(worker, organisation, { external_ref: 'a' });
    await worker.settlement.settle(first);
    const second = await airtime.buy(worker, organisation);
    const third = await airtime.buy(worker, organisation, { external_ref: 'b' });
    await worker.settlement.settle(third);
    expect(await states([first, second, third])).toEqual(['success', 'duplicate, refunded', 'success']);
  });

  it('succeeds once among a hundred concurrent ones in three workers; the others are refunded', async () => {
    const workers = [worker, await airtime.worker(), await airtime.worker()];
    const recipient = '08039999999';
    const ids = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { service, settlement } = workers[index % 3] ?? worker;
        const id = await airtime.buy({ service, settlement } as Worker, organisation, { recipient });
        await settlement.settle(id);
        return id;
      }),
    );
    const ended = await states(ids);
    expect(ended.filter((state) => state === 'success')).toHaveLength(1);
    expect(ended.filter((state) => state === 'duplicate, refunded')).toHaveLength(99);
    expect((await airtime.toppedUp()).filter((topUp) => topUp.recipient === '+2348039999999')).toHaveLength(
      1,
    );
    expect(await airtime.balances(organisation)).toEqual({ available: 99_990_000n, reserved: 0n });
  });
});

const refOf = (reference: string | undefined) => (reference === undefined ? {} : { external_ref: reference });
