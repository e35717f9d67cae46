import { sql } from '@gangan/database';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { QueryResult, SubmitResult } from '../src/providers/airtime-provider.js';
import { Pending, ScriptedProvider } from './support/scripted-provider.js';
import { TestAirtime, type Worker } from './support/test-airtime.js';
import { until } from '@gangan/testing';

const reason = { code: 'x', message: 'why' };

describe('a provider', () => {
  let airtime: TestAirtime;
  let organisation: string;
  let one: ScriptedProvider;
  let other: ScriptedProvider;
  const named: ScriptedProvider[] = [];
  let worker: Worker;
  /** Sweeps, with another lease holder than the worker that has submitted the purchases. */
  let secondWorker: Worker;
  beforeAll(async () => {
    airtime = await TestAirtime.open();
    worker = await startWorker();
    secondWorker = await startWorker();
  });
  afterAll(() => airtime.close());
  beforeEach(async () => {
    organisation = await airtime.organisation(10_000n);
    [one, other] = [new ScriptedProvider('one'), new ScriptedProvider('other')];
    named.splice(0, named.length, one, other);
  });
  afterEach(async () => {
    await airtime.expectSoundLedger();
    airtime.recorded.errors.length = 0;
  });

  const startWorker = (callMs?: number): Promise<Worker> =>
    airtime.worker({ named, ...(callMs !== undefined && { callMs }) });

  /** The provider does not answer before the timeout. */
  const settleWithTimeout = async (id: string): Promise<void> =>
    (await startWorker(500)).settlement.settle(id);

  const referenceOf = async (id: string): Promise<string | null | undefined> => {
    const [row] = await airtime.database.query<{ reference: string | null }>(
      sql`SELECT provider_reference AS reference FROM airtime_purchase WHERE id = ${id}`,
    );
    return row?.reference;
  };

  /** Lets the first writes of the state `sent` fail with an SQLSTATE. */
  const failWrites = async (code: string, count: number, during: () => Promise<void>): Promise<void> => {
    const { database } = airtime;
    // A sequence also counts what is rolled back.
    await database.execute(sql`CREATE SEQUENCE failed_writes`);
    await database.$executeRawUnsafe(`
      CREATE FUNCTION fail_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failed_writes') <= ${count} THEN RAISE EXCEPTION USING ERRCODE = '${code}'; END IF;
        RETURN NEW;
      END $$`);
    await database.execute(sql`
      CREATE TRIGGER fail_write BEFORE UPDATE ON airtime_purchase FOR EACH ROW
      WHEN (NEW.state = 'sent') EXECUTE FUNCTION fail_write()`);
    await during();
    await database.execute(sql`DROP FUNCTION fail_write CASCADE`);
    await database.execute(sql`DROP SEQUENCE failed_writes`);
  };

  it('that received nothing is followed by the next, which is then queried', async () => {
    one.onSubmit = () => ({ kind: 'not_sent', reason });
    other.onSubmit = () => ({ kind: 'unknown' });
    const id = await airtime.buy(worker, organisation);
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent', provider: 'other' });
    other.onQuery = () => ({ kind: 'success' });
    await airtime.pass(5_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success' });
    expect([one.queried, other.queried]).toEqual([[], [id]]);
  });

  it('that breaks the connection is not followed by another: the outcome is unknown', async () => {
    one.onSubmit = () => new Error('socket hang up');
    const id = await airtime.buy(worker, organisation);
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent', provider: 'one', refunded: false });
    expect(other.submitted).toEqual([]);
    expect(await airtime.balances(organisation)).toMatchObject({ reserved: 10_000n });
  });

  it('that cannot be reached is retried for a day, then the purchase is refunded', async () => {
    one.onSubmit = other.onSubmit = () => ({ kind: 'not_sent', reason });
    const id = await airtime.buy(worker, organisation);
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending', provider: null });
    await airtime.pass(0);
    await secondWorker.sweep();
    expect([one.submitted.length, other.submitted.length]).toEqual([2, 2]);
    await airtime.age(id, 25 * 3_600_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'provider_unreachable',
    });
    expect(await airtime.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
  });

  it('that does not find a purchase is trusted only when no call can be in flight', async () => {
    one.onSubmit = () => new Error('socket hang up');
    const id = await airtime.buy(worker, organisation);
    await worker.settlement.settle(id);
    await airtime.pass(5_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent' });
    await airtime.pass(30_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'never_arrived',
    });
    expect(one.submitted).toHaveLength(1);
  });

  it('that answers after the timeout still counts', async () => {
    const late = new Pending<SubmitResult>();
    one.onSubmit = () => late.answer;
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent' });
    late.give({ kind: 'success', providerReference: 'p-1' });
    await until('the purchase succeeds', async () => (await airtime.stored(id)).state === 'success');
    expect(airtime.recorded.errors).toEqual([]);
  });

  it('that answers after an unsuccessful query of another worker still counts', async () => {
    const late = new Pending<SubmitResult>();
    one.onSubmit = () => late.answer;
    one.onQuery = () => ({ kind: 'unknown' });
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    await airtime.pass(5_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
    late.give({ kind: 'success' });
    await until('the purchase succeeds', async () => (await airtime.stored(id)).state === 'success');
    expect(await airtime.booked(id)).toEqual(['post', 'reserve']);
  });

  it('that gives its reference can be queried by it even if the first writes fail', async () => {
    one.onSubmit = () => ({ kind: 'unknown', providerReference: 'p-1' });
    const id = await airtime.buy(worker, organisation);
    await failWrites('40001', 2, () => worker.settlement.settle(id));
    expect(await airtime.stored(id)).toMatchObject({ state: 'sent' });
    expect(await referenceOf(id)).toBe('p-1');
  });

  it('that gives its reference can be queried by it even if another worker has the claim', async () => {
    const id = await airtime.buy(worker, organisation);
    one.onSubmit = async () => {
      await airtime.pass(0);
      await secondWorker.claim();
      return { kind: 'unknown', providerReference: 'p-1' };
    };
    await worker.settlement.settle(id);
    expect(await airtime.stored(id)).toMatchObject({ state: 'submitting' });
    expect(await referenceOf(id)).toBe('p-1');
  });

  it('that gives a reference which cannot be stored is logged with it', async () => {
    one.onSubmit = () => ({ kind: 'unknown', providerReference: 'p-1' });
    const id = await airtime.buy(worker, organisation);
    await failWrites('23514', 1, () => worker.settlement.settle(id));
    expect(await airtime.stored(id)).toMatchObject({ state: 'submitting' });
    expect(airtime.recorded.warnings).toContainEqual(
      expect.objectContaining({ purchase: id, providerReference: 'p-1' }),
    );
  });

  it('that answers during a query counts, and the older result of the query does not', async () => {
    const [late, query] = [new Pending<SubmitResult>(), new Pending<QueryResult>()];
    one.onSubmit = () => late.answer;
    one.onQuery = () => query.answer;
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    await airtime.pass(60_000);
    const sweeping = (await startWorker(60_000)).sweep();
    await until('the provider is called', () => one.queried.length > 0);
    late.give({ kind: 'success' });
    await until('the purchase succeeds', async () => (await airtime.stored(id)).state === 'success');
    query.give({ kind: 'not_found' });
    await sweeping;
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', refunded: false });
    expect(await airtime.booked(id)).toEqual(['post', 'reserve']);
  });

  it('that hangs does not delay the others', async () => {
    const hanging = new Pending<QueryResult>();
    const rich = await airtime.organisation();
    one.onSubmit = other.onSubmit = () => ({ kind: 'unknown' });
    one.onQuery = () => hanging.answer;
    const ids: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      ids.push(await airtime.buy(worker, rich, { recipient: `0803${String(1_000_000 + index)}` }));
    }
    await Promise.all(ids.map((id) => worker.settlement.settle(id)));
    await airtime.pass(5_000);
    one.onSubmit = () => ({ kind: 'not_sent', reason });
    other.onQuery = () => ({ kind: 'success' });
    const id = await airtime.buy(worker, organisation);
    await worker.settlement.settle(id);
    await airtime.age(id, 0);

    const sweeping = await startWorker(60_000);
    await until('the purchase succeeds', async () => {
      await sweeping.sweeper.sweep();
      return (await airtime.stored(id)).state === 'success';
    });
    expect(one.queried.length).toBeLessThan(ids.length);
    hanging.give({ kind: 'success' });
    await sweeping.sweep();
    const ended = await Promise.all(ids.map((each) => airtime.stored(each)));
    expect(new Set(ended.map(({ state }) => state))).toEqual(new Set(['success']));
  });

  it('that reports success for a purchase that was not submitted causes an error log', async () => {
    const late = new Pending<SubmitResult>();
    one.onSubmit = () => late.answer;
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    await airtime.forget(id);
    late.give({ kind: 'success' });
    await until('an alarm is raised', () => airtime.recorded.errors.length > 0);
    expect(airtime.recorded.errors).toEqual([expect.stringContaining('was not submitted')]);
    expect(await airtime.stored(id)).toMatchObject({ state: 'pending' });
    one.onSubmit = () => ({ kind: 'failed', reason });
    await airtime.pass(0);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'failed' });
  });

  it('that delivers after the refund causes one loss booking and an error log', async () => {
    const late = new Pending<SubmitResult>();
    one.onSubmit = () => late.answer;
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    await airtime.pass(60_000);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    late.give({ kind: 'success' });
    await until('an alarm is raised', () => airtime.recorded.errors.length > 0);
    expect(airtime.recorded.errors).toEqual([expect.stringContaining('booked as a loss')]);
    expect(await airtime.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    expect(await airtime.balances(organisation)).toEqual({ available: 10_000n, reserved: 0n });
    expect(await airtime.booked(id)).toEqual(['loss', 'reserve', 'void']);
  });

  describe('with a commission', () => {
    const naira = (micros: bigint) => ({ micros, currency: 'NGN' });
    const costOf = (id: string) =>
      airtime.database.query(sql`
        SELECT cost_micros AS micros, cost_currency AS currency FROM airtime_purchase WHERE id = ${id}::uuid`);
    const nothing = [{ micros: null, currency: null }];
    beforeEach(() => {
      one.costOf = (_, kobo) => naira(kobo * 9_700n);
    });

    it('charges what its answer says, or less the commission of the settings', async () => {
      const answers: SubmitResult[] = [{ kind: 'success', cost: naira(96_000_001n) }, { kind: 'success' }];
      for (const [index, micros] of [96_000_001n, 48_500_000n].entries()) {
        one.onSubmit = () => answers[index] ?? { kind: 'failed', reason };
        const id = await airtime.buy(worker, organisation, { amount: 50, recipient: `0803123456${index}` });
        await worker.settlement.settle(id);
        expect(await costOf(id)).toEqual([naira(micros)]);
      }
    });

    it('charges what its first answer says, if a later one reports the success; nothing for a failure', async () => {
      one.onSubmit = () => ({ kind: 'unknown', providerReference: 'x', cost: naira(48_000_000n) });
      for (const [index, kind] of (['success', 'failed'] as const).entries()) {
        one.onQuery = () => (kind === 'success' ? { kind } : { kind, reason });
        const id = await airtime.buy(worker, organisation, { amount: 50, recipient: `0803123456${index}` });
        await worker.settlement.settle(id);
        expect(await costOf(id)).toEqual([naira(48_000_000n)]);
        await airtime.pass(5_000);
        await secondWorker.sweep();
        expect(await airtime.stored(id)).toMatchObject({ state: kind });
        expect(await costOf(id)).toEqual(kind === 'success' ? [naira(48_000_000n)] : nothing);
      }
    });

    it('charges for what it delivers after the refund', async () => {
      const late = new Pending<SubmitResult>();
      one.onSubmit = () => late.answer;
      const id = await airtime.buy(worker, organisation);
      await settleWithTimeout(id);
      await airtime.pass(60_000);
      await secondWorker.sweep();
      expect(await costOf(id)).toEqual(nothing);
      late.give({ kind: 'success', cost: naira(96_000_000n) });
      await until('it is booked', () => airtime.recorded.errors.length > 0);
      expect(await costOf(id)).toEqual([naira(96_000_000n)]);
    });
  });

  it('that revokes a success changes nothing', async () => {
    const late = new Pending<SubmitResult>();
    one.onSubmit = () => late.answer;
    one.onQuery = () => ({ kind: 'success' });
    const id = await airtime.buy(worker, organisation);
    await settleWithTimeout(id);
    await airtime.pass(5_000);
    await secondWorker.sweep();
    late.give({ kind: 'failed', reason });
    await airtime.pass(0);
    await secondWorker.sweep();
    expect(await airtime.stored(id)).toMatchObject({ state: 'success', refunded: false });
    expect(await airtime.booked(id)).toEqual(['post', 'reserve']);
  });
});
