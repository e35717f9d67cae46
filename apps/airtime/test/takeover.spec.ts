import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../src/providers/airtime-provider.js';
import { Pending, ScriptedProvider } from './support/scripted-provider.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';

describe('taking over the purchases of a dead process', () => {
  let airtime: TestAirtime;
  let organisation: string;
  /** What the provider answers to the process that died, after the test. */
  const answer = new Pending<SubmitResult>();
  const settling: Promise<void>[] = [];
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    organisation = await airtime.organisation();
  });
  afterEach(() => airtime.expectSoundLedger());
  afterAll(async () => {
    answer.give({ kind: 'unknown' });
    await Promise.all(settling);
    await airtime.close();
  });

  const startWorker = (provider: ScriptedProvider): Promise<Worker> =>
    airtime.worker({ named: [provider], callMs: 20_000 });
  const sweep = async (provider: ScriptedProvider): Promise<void> => (await startWorker(provider)).sweep();
  let next = 0;
  const buy = (by: Worker): Promise<string> =>
    airtime.buy(by, organisation, { recipient: `0803100${String(1_000 + (next += 1))}` });

  /** A worker that dies while it waits for the answer of its provider. */
  const dies = async (provider: ScriptedProvider) => {
    const dead = await startWorker(provider);
    const id = await buy(dead);
    provider.onSubmit = () => answer.answer;
    settling.push(dead.settlement.settle(id));
    await until('the provider is called', () => provider.submitted.length === 1);
    return { dead, id };
  };

  /** When the purchase is due, from its submission. */
  const dueAfterSeconds = async (id: string): Promise<number | undefined> => {
    const [row] = await airtime.database.query<{ seconds: number }>(sql`
      SELECT round(extract(epoch FROM next_attempt_at - submitted_at))::int AS seconds
      FROM airtime_purchase WHERE id = ${id}`);
    return row?.seconds;
  };

  it('queries at once what may have been submitted, and never submits it again', async () => {
    const provider = new ScriptedProvider();
    const { dead, id } = await dies(provider);
    expect(await dead.takeOver()).toBe(1);
    provider.onQuery = () => ({ kind: 'success' });
    await sweep(provider);
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', attempt: 2 });
    expect(provider.submitted).toHaveLength(1);
  });

  it('does not refund what the provider has not found while the first call may be in flight', async () => {
    const provider = new ScriptedProvider();
    const { dead, id } = await dies(provider);
    expect(await dead.takeOver()).toBe(1);
    await airtime.pass(10_000);
    await sweep(provider);
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent', refunded: false });
    // 3 s to start the call, its timeout, and the first query time.
    expect(await dueAfterSeconds(id)).toBe(3 + 20 + 5);
    await airtime.pass(18_000);
    await sweep(provider);
    expect(await airtime.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'never_arrived',
    });
    expect([provider.submitted.length, provider.queried.length]).toEqual([1, 2]);
  });

  it('counts the success of a slow process once', async () => {
    const provider = new ScriptedProvider();
    const dead = await startWorker(provider);
    const id = await buy(dead);
    const late = new Pending<SubmitResult>();
    provider.onSubmit = () => late.answer;
    const settled = dead.settlement.settle(id);
    await until('the provider is called', () => provider.submitted.length === 1);
    await dead.takeOver();
    await sweep(provider);
    late.give({ kind: 'success' });
    await settled;
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', refunded: false });
    expect(await airtime.booked(id)).toEqual(['post', 'reserve']);
    expect(provider.submitted).toHaveLength(1);
  });

  it('submits once what the process had claimed and not submitted', async () => {
    const provider = new ScriptedProvider();
    const [dead, living] = [await startWorker(provider), await startWorker(provider)];
    const id = await buy(dead);
    await airtime.pass(0);
    const claimed = await dead.claim();
    expect(claimed.map((purchase) => purchase.id)).toEqual([id]);
    expect(await dead.takeOver()).toBe(1);
    await living.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
    for (const purchase of claimed) await dead.settlement.resume(purchase);
    expect(provider.submitted).toHaveLength(1);
  });

  it('ignores what waits for its next query or has ended', async () => {
    const provider = new ScriptedProvider();
    const dead = await startWorker(provider);
    const [unknown, ended] = [await buy(dead), await buy(dead)];
    provider.onSubmit = ({ reference }) =>
      reference === unknown ? { kind: 'unknown' } : { kind: 'success' };
    for (const id of [unknown, ended]) await dead.settlement.settle(id);
    expect(await dead.takeOver()).toBe(0);
    expect(await airtime.stored(unknown)).toMatchObject({ state: 'sent' });
  });

  it('does not call a provider long after the purchase was marked as submitted', async () => {
    const provider = new ScriptedProvider();
    const slow = await airtime.worker({ named: [provider], callMs: 100 });
    const id = await buy(slow);
    const { settled } = await airtime.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT id FROM airtime_purchase WHERE id = ${id} FOR UPDATE`);
      const running = slow.settlement.settle(id);
      await transaction.execute(sql`SELECT pg_sleep(0.3)`);
      return { settled: running };
    });
    await settled;
    expect(provider.submitted).toEqual([]);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending' });
  });
});
