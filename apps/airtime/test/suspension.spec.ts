import { sql } from '@gangan/database';
import { anOrganisation, until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../src/providers/airtime-provider.js';
import { ScriptedProvider } from './support/scripted-provider.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';

const callback = 'https://example.com/callbacks';
const day = 24 * 3_600_000;

describe('the purchases of a suspended organisation', () => {
  let airtime: TestAirtime;
  let worker: Worker;
  beforeAll(async () => {
    // One connection, so that its statistics are complete.
    airtime = await TestAirtime.open(1);
    worker = await airtime.worker();
  });
  afterAll(() => airtime.close());
  afterEach(() => airtime.expectSoundLedger());

  const setStatus = (id: string, status: 'active' | 'suspended') =>
    airtime.database.organisation.update({ where: { id }, data: { status } });
  const held = { state: 'pending', attempt: 0 };

  it('are held while they are unsubmitted, and submitted after its activation', async () => {
    const organisation = await airtime.organisation(10_000n);
    const id = await airtime.buy(worker, organisation);
    await setStatus(organisation, 'suspended');
    await worker.settlement.settle(id);
    await airtime.pass(0);
    await worker.sweep();
    expect(await worker.sweeper.endLapsed()).toBe(false);
    expect(await airtime.stored(id)).toMatchObject(held);
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 10_000n });
    await setStatus(organisation, 'active');
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
  });

  it('are held if its account is suspended', async () => {
    const { id: organisation, accountId } = await anOrganisation(airtime.database, { balanceKobo: 10_000n });
    const id = await airtime.buy(worker, organisation);
    const data = { status: 'suspended' } as const;
    await airtime.database.account.update({ where: { id: accountId }, data });
    await airtime.pass(0);
    await worker.sweep();
    expect(await airtime.stored(id)).toMatchObject(held);
  });

  it('are not submitted if it was suspended after they were claimed', async () => {
    const organisation = await airtime.organisation(10_000n);
    const id = await airtime.buy(worker, organisation);
    await airtime.pass(0);
    const claimed = await worker.claim();
    expect(claimed.map((purchase) => purchase.id)).toContain(id);
    await setStatus(organisation, 'suspended');
    for (const purchase of claimed) await worker.settlement.resume(purchase);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending' });
    expect((await airtime.toppedUp()).filter(({ reference }) => reference === id)).toEqual([]);
  });

  it('are settled if a provider has them already', async () => {
    const organisation = await airtime.organisation(20_000n);
    const [called, unknown] = [
      await airtime.buy(worker, organisation),
      await airtime.buy(worker, organisation, { callback, recipient: '+2347000000005' }),
    ];
    await worker.settlement.settle(unknown);
    const provider = new ScriptedProvider();
    let answer: (result: SubmitResult) => void = () => undefined;
    provider.onSubmit = () => new Promise<SubmitResult>((resolve) => (answer = resolve));
    const { settlement } = await airtime.worker({ named: [provider] });
    const running = settlement.settle(called);
    await until('the provider is called', () => provider.submitted.length > 0);
    await setStatus(organisation, 'suspended');
    answer({ kind: 'success' });
    await running;
    expect(await airtime.stored(called)).toMatchObject({ state: 'success' });
    await airtime.pass(5_000);
    await worker.sweep();
    expect(await airtime.stored(unknown)).toMatchObject({ state: 'success' });
    expect(await airtime.reports(unknown)).toEqual(['airtime.sent', 'airtime.success']);
    expect(await airtime.balances(organisation)).toEqual({ available: 0n, reserved: 0n });
  });

  it('are refunded when they were held for too long, and only then', async () => {
    const organisation = await airtime.organisation(20_000n);
    const [old, recent] = [
      await airtime.buy(worker, organisation, { callback }),
      await airtime.buy(worker, organisation, { recipient: '08031234568' }),
    ];
    const dueSince = (id: string, ms: number) =>
      airtime.database.execute(sql`
        UPDATE airtime_purchase SET next_attempt_at = now() - ${ms}::float8 * interval '1 ms' WHERE id = ${id}`);
    await dueSince(old, day + 1);
    await dueSince(recent, day - 60_000);
    await worker.sweeper.endLapsed();
    expect(await airtime.stored(old)).toMatchObject(held);
    await setStatus(organisation, 'suspended');
    await worker.sweeper.endLapsed();
    expect(await airtime.stored(old)).toMatchObject({ state: 'failed', refunded: true, code: 'suspended' });
    expect(await airtime.reports(old)).toEqual(['airtime.failed']);
    expect(await airtime.stored(recent)).toMatchObject(held);
    expect(await airtime.balances(organisation)).toEqual({ available: 10_000n, reserved: 10_000n });
  });

  it('do not slow down the claims of others', async () => {
    const [suspended, other] = [await airtime.organisation(), await airtime.organisation()];
    await setStatus(suspended, 'suspended');
    const rowsRead = async (): Promise<number> => {
      await airtime.database.query(sql`SELECT pg_stat_force_next_flush()`);
      const [row] = await airtime.database.query<{ rows: number }>(sql`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables
        WHERE relname = 'airtime_purchase'`);
      return row?.rows ?? 0;
    };
    const sweepOfOther = async (recipient: string): Promise<number> => {
      const id = await airtime.buy(worker, other, { recipient });
      await airtime.pass(0);
      await airtime.database.execute(sql`ANALYZE airtime_purchase`);
      const before = await rowsRead();
      await worker.sweep();
      await worker.sweeper.endLapsed();
      const read = (await rowsRead()) - before;
      expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
      return read;
    };
    await airtime.buy(worker, suspended);
    const few = await sweepOfOther('08031234561');
    await airtime.database.execute(sql`
      INSERT INTO airtime_purchase (id, organisation_id, network, recipient, recipient_given, amount_kobo,
        balance_before_kobo, request_id, next_attempt_at)
      SELECT uuidv7(), ${suspended}, 'MTN', '+2348031234567', '', 1, 1, '', now() - interval '1 hour'
      FROM generate_series(1, 5000)`);
    expect(await sweepOfOther('08031234562')).toBeLessThan(few + 20);
    await airtime.database.execute(
      sql`DELETE FROM airtime_purchase WHERE organisation_id = ${suspended} AND amount_kobo = 1`,
    );
  });
});
