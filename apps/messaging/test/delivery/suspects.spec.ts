import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const timeoutMs = 10_000;
const leaseSeconds = 40;
/** Until the submission of a dead worker must have ended. It is longer than suspects wait after a death. */
const inFlightSeconds = 13;
const suspectDelaySeconds = 10;
const validitySeconds = 24 * 3_600;
const balance = 100_000_000n;

describe('the deliveries of a worker that died', () => {
  const fixture = DeliveryFixture.use();
  let organisation: string;
  /** What the providers of dead workers answer, after the test. */
  let answer: Pending<SubmitResult>;
  const delivering: Promise<void>[] = [];
  beforeEach(async () => {
    organisation = await fixture.organisation(balance);
    answer = new Pending();
  });
  afterEach(async () => {
    answer.give({ kind: 'unknown' });
    await Promise.all(delivering.splice(0));
    // No other test finds them.
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = 'infinity' WHERE next_attempt_at IS NOT NULL`,
    );
  });

  const accept = async (count: number): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`);
    return (await fixture.accept(organisation, { recipients, callback: 'https://gangan.invalid/' }))
      .deliveries;
  };
  const takeOver = ({ holder }: DeliveryWorker, hasDied = true): Promise<unknown> =>
    fixture.database.transaction((transaction) => holder.takeOver(transaction, holder.id, hasDied));
  const pass = (seconds: number): Promise<number> =>
    fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = next_attempt_at - ${seconds}::float8 * interval '1 second'
      WHERE organisation_id = ${organisation} AND next_attempt_at IS NOT NULL`);
  const workerDeaths = async (ids: readonly string[]): Promise<number[]> => {
    const rows = await fixture.database.query<{ deaths: number }>(sql`
      SELECT worker_deaths AS deaths FROM unnest(${[...ids]}::uuid[]) WITH ORDINALITY AS given (id, position)
      JOIN delivery USING (id) ORDER BY position`);
    return rows.map(({ deaths }) => deaths);
  };

  /** A provider that never answers to these deliveries, and how many deliveries each of its calls had. */
  const hangsOn = (
    ids: readonly string[],
    { onAsk }: { readonly onAsk?: 'not_found' } = {},
  ): { readonly provider: ScriptedProvider; readonly calls: number[] } => {
    const provider = new ScriptedProvider('scripted', onAsk && (() => ({ kind: onAsk })));
    provider.onSubmit = ({ reference }) =>
      ids.includes(reference) ? answer.answer : accepted(`of-${reference}`);
    const calls: number[] = [];
    const submit = provider.submit.bind(provider);
    provider.submit = (submissions) => {
      calls.push(submissions.length);
      return submit(submissions);
    };
    return { provider, calls };
  };
  const sentTo = ({ submitted }: ScriptedProvider, id: string): number =>
    submitted.filter(({ reference }) => reference === id).length;

  /** A worker that dies while its provider has these deliveries. */
  const diesWith = async (ids: readonly string[], provider: ScriptedProvider): Promise<DeliveryWorker> => {
    const worker = await fixture.worker({ named: [provider], timeoutMs });
    delivering.push(worker.due(organisation, ids));
    await until('the provider has them', () => ids.every((id) => sentTo(provider, id) === 1));
    await takeOver(worker);
    return worker;
  };
  /** A worker that looks for due deliveries, and dies when its provider has this one. */
  const diesAgainWith = async (id: string, provider: ScriptedProvider): Promise<void> => {
    await pass(inFlightSeconds);
    const before = sentTo(provider, id);
    const worker = await fixture.worker({ named: [provider], timeoutMs });
    delivering.push(worker.sweep());
    await until('the provider has it', () => sentTo(provider, id) > before);
    await takeOver(worker);
  };
  const sweep = async (provider: ScriptedProvider): Promise<DeliveryWorker> => {
    await pass(inFlightSeconds);
    const worker = await fixture.worker({ named: [provider], timeoutMs });
    await worker.sweep();
    return worker;
  };

  it('are tried one at a time, and are no suspects any more after that', async () => {
    const ids = await accept(5);
    await diesWith(ids, hangsOn(ids).provider);
    expect(await workerDeaths(ids)).toEqual([1, 1, 1, 1, 1]);
    const { provider, calls } = hangsOn([]);
    await sweep(provider);
    expect(calls).toEqual([1, 1, 1, 1, 1]);
    expect(await fixture.states(ids)).toEqual(['sent', 'sent', 'sent', 'sent', 'sent']);
    expect(await workerDeaths(ids)).toEqual([0, 0, 0, 0, 0]);
  });

  it('include one that ends a second worker: it is not sent again, and the others are', async () => {
    const ids = await accept(5);
    const [fatal = '', ...others] = ids;
    await diesWith(ids, hangsOn(ids).provider);
    const second = hangsOn([fatal]);
    await diesAgainWith(fatal, second.provider);
    expect(sentTo(second.provider, fatal)).toBe(1);
    const third = hangsOn([]);
    const survivor = await sweep(third.provider);
    expect(sentTo(third.provider, fatal)).toBe(0);
    expect(await fixture.states(others)).toEqual(['sent', 'sent', 'sent', 'sent']);
    expect(await fixture.stored(fatal)).toMatchObject({
      state: 'submitting',
      attempt: 2,
      code: 'no_answer',
      refunded: false,
    });
    expect(await fixture.attempts(fatal)).toEqual([
      { provider: 'scripted', outcome: null },
      { provider: 'scripted', outcome: 'unknown' },
    ]);
    expect(await survivor.registry.getSingleMetricAsString('gangan_delivery_abandoned_total')).toContain(
      'provider="scripted"} 1',
    );
    expect(fixture.output.warnings).toContain(
      'workers died while they submitted this delivery; it is not submitted again, and stays charged',
    );
  });

  /** A delivery that has ended two workers. */
  const acceptFatal = async (): Promise<string> => {
    const [fatal = ''] = await accept(1);
    await diesWith([fatal], hangsOn([fatal]).provider);
    await diesAgainWith(fatal, hangsOn([fatal]).provider);
    await sweep(hangsOn([]).provider);
    return fatal;
  };

  it('and ends a second one gets the state of its report', async () => {
    const fatal = await acceptFatal();
    const worker = await fixture.worker({ named: [new ScriptedProvider()], timeoutMs });
    await worker.reports.receive('scripted', [{ reference: fatal, state: 'delivered' }]);
    expect(await fixture.states([fatal])).toEqual(['delivered']);
    expect(await fixture.available(organisation)).toBe(balance - price);
  });

  it('and ends a second one expires without a report, and stays charged', async () => {
    const fatal = await acceptFatal();
    const { provider } = hangsOn([]);
    await pass(validitySeconds);
    await (await fixture.worker({ named: [provider], timeoutMs })).sweep();
    expect(await fixture.states([fatal])).toEqual(['submitting']);
    await fixture.endValidityOfOpen([fatal]);
    await (await fixture.worker({ named: [provider], timeoutMs })).sweep();
    expect(sentTo(provider, fatal)).toBe(0);
    expect(await fixture.stored(fatal)).toMatchObject({
      state: 'expired',
      code: 'no_answer',
      refunded: false,
    });
    expect(await fixture.available(organisation)).toBe(balance - price);
    await fixture.expectCleanLedger();
  });

  it('are tried once more if their provider can be asked, because then none is sent twice', async () => {
    const [fatal = ''] = await accept(1);
    await diesWith([fatal], hangsOn([fatal], { onAsk: 'not_found' }).provider);
    await diesAgainWith(fatal, hangsOn([fatal], { onAsk: 'not_found' }).provider);
    await diesAgainWith(fatal, hangsOn([fatal], { onAsk: 'not_found' }).provider);
    const { provider } = hangsOn([], { onAsk: 'not_found' });
    await sweep(provider);
    expect([provider.asked, provider.submitted]).toEqual([[], []]);
    expect(await fixture.attempts(fatal)).toMatchObject([
      { outcome: null },
      { outcome: null },
      { outcome: 'unknown' },
    ]);
  });

  it('wait until no worker has died for ten seconds', async () => {
    const ids = await accept(2);
    await diesWith(ids, hangsOn(ids).provider);
    await pass(inFlightSeconds);
    const idle = await fixture.worker({ named: [new ScriptedProvider()], timeoutMs });
    await takeOver(idle);
    await pass(suspectDelaySeconds - 1);
    const { provider } = hangsOn([]);
    const worker = await fixture.worker({ named: [provider], timeoutMs });
    await worker.sweep();
    expect(provider.submitted).toEqual([]);
    await pass(1);
    await worker.sweep();
    expect(provider.submitted).toHaveLength(2);
  });

  it('are sent with others if an earlier version has queued them again', async () => {
    const [id = ''] = await accept(1);
    await fixture.database.execute(sql`UPDATE delivery SET worker_deaths = 1 WHERE id = ${id}::uuid`);
    const { provider } = hangsOn([]);
    const worker = await fixture.worker({ named: [provider] });
    await worker.due(organisation, [id]);
    expect(sentTo(provider, id)).toBe(1);
  });

  it('include OTPs, which are tried first', async () => {
    const [message = ''] = await accept(1);
    const otp = await fixture.acceptOtp(organisation, 'Your code is 1234');
    const { provider } = hangsOn([message, otp]);
    const dead = await fixture.worker({ named: [provider], timeoutMs });
    delivering.push(dead.due(organisation, [message]), dead.due(organisation, [otp], 'otp'));
    await until('the provider has them', () => provider.submitted.length === 2);
    await takeOver(dead);
    const { provider: other } = hangsOn([]);
    await sweep(other);
    expect(other.submitted.map(({ reference }) => reference)).toEqual([otp, message]);
  });

  it('do not include those of a worker that stopped', async () => {
    const ids = await accept(3);
    const { provider } = hangsOn(ids);
    const stopped = await fixture.worker({ named: [provider], timeoutMs });
    delivering.push(stopped.due(organisation, ids));
    await until('the provider has them', () => provider.submitted.length === 3);
    await takeOver(stopped, false);
    expect(await workerDeaths(ids)).toEqual([0, 0, 0]);
    const { provider: other, calls } = hangsOn([]);
    await sweep(other);
    expect(calls).toEqual([3]);
  });

  describe('whose leases expired before they were taken over', () => {
    const leaves = async (ids: readonly string[]): Promise<DeliveryWorker> => {
      const { provider } = hangsOn(ids);
      const worker = await fixture.worker({ named: [provider], timeoutMs });
      delivering.push(worker.due(organisation, ids));
      await until('the provider has them', () => provider.submitted.length === ids.length);
      await pass(leaseSeconds);
      return worker;
    };
    const beat = ({ holder }: DeliveryWorker): Promise<number> =>
      fixture.database.execute(sql`
        INSERT INTO lease_holder (id, app, host, pid) VALUES (${holder.id}, 'messaging', 'test', 1)`);

    it('are suspects too', async () => {
      const ids = await accept(3);
      await leaves(ids);
      const { provider, calls } = hangsOn([]);
      const worker = await fixture.worker({ named: [provider], timeoutMs });
      await worker.sweep();
      expect([calls, await workerDeaths(ids)]).toEqual([[], [1, 1, 1]]);
      await pass(suspectDelaySeconds);
      await worker.sweep();
      expect(calls).toEqual([1, 1, 1]);
      expect(await fixture.attempts(ids[0] ?? '')).toMatchObject([
        { outcome: null },
        { outcome: 'accepted' },
      ]);
    });

    it('include one that ends a second worker', async () => {
      const [fatal = ''] = await accept(1);
      await leaves([fatal]);
      await (await fixture.worker({ named: [hangsOn([]).provider], timeoutMs })).sweep();
      const second = hangsOn([fatal]).provider;
      await pass(suspectDelaySeconds);
      delivering.push((await fixture.worker({ named: [second], timeoutMs })).sweep());
      await until('the provider has it', () => second.submitted.length === 1);
      await pass(leaseSeconds);
      const third = hangsOn([]).provider;
      const worker = await fixture.worker({ named: [third], timeoutMs });
      await worker.sweep();
      expect(await workerDeaths([fatal])).toEqual([2]);
      await pass(suspectDelaySeconds);
      await worker.sweep();
      expect(third.submitted).toEqual([]);
      expect(await fixture.attempts(fatal)).toMatchObject([{ outcome: null }, { outcome: 'unknown' }]);
    });

    it('are tried together if the worker still writes heartbeats', async () => {
      const ids = await accept(3);
      await beat(await leaves(ids));
      const { provider, calls } = hangsOn([]);
      await (await fixture.worker({ named: [provider], timeoutMs })).sweep();
      expect([calls, await workerDeaths(ids)]).toEqual([[3], [0, 0, 0]]);
    });
  });
});
