import { sql } from '@gangan/database';
import { type FakeTermii, until } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { LiveFixture } from '../support/live-fixture.js';
import { accepted } from '../support/scripted-provider.js';

const numbers = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, '0')}`);
const unavailable = { status: 400, message: 'Service temporarily unavailable' };
const limits = { take: () => Promise.resolve({ allowed: true, remaining: 1, fullInMs: 0, nextInMs: 0 }) };
const noCredit = { status: 400, message: 'Insufficient balance' };

describe('the health of providers', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let first: FakeTermii;
  let second: FakeTermii;
  const failOpenDeliveries = () =>
    fixture.database.execute(sql`UPDATE delivery SET state = 'failed', next_attempt_at = NULL`);
  beforeEach(async () => {
    await failOpenDeliveries();
    fixture.output.warnings.length = 0;
    [first, second] = [await live.serveTermii(), await live.serveTermii()];
  });

  const addFirst = () => live.add('first', first);
  const routeToFirst = async () => live.route([await addFirst()]);
  const routeToBoth = async () => live.route([await addFirst(), await live.add('second', second)]);
  const send = async (count: number, by = live.worker): Promise<string[]> => {
    const ids: string[] = [];
    for (const recipients of numbers('+23480312', count)) ids.push(...(await live.send({ recipients }, by)));
    return ids;
  };
  const health = async () => {
    const [row] = await fixture.database.query<{ state: string; failures: number; code: string }>(sql`
      SELECT state::text, failures, error_code AS code FROM provider_health
      JOIN provider ON provider.id = provider_id WHERE name = 'first'`);
    return row;
  };
  /** As if its time had passed. */
  const makeTestDue = async (...workers: DeliveryWorker[]) => {
    // In the past, because storing a time rounds it to a millisecond, which may be later than now.
    const makeDue = sql`UPDATE provider_health SET test_at = now() - interval '1 second' WHERE state <> 'up'`;
    // The state is stored after the last response.
    await until('the circuit is open', async () => (await fixture.database.execute(makeDue)) > 0);
    for (const each of workers) await each.health.refresh();
  };

  it('opens the circuit of a provider after five failures in a row, for all workers; the next provider gets everything', async () => {
    await routeToBoth();
    first.behaviour = () => unavailable;
    const ids = await send(8);
    expect(new Set(await fixture.states(ids))).toEqual(new Set(['sent']));
    expect([first.requests, second.sent.length]).toEqual([5, 8]);
    expect(await health()).toEqual({ state: 'open', failures: 1, code: 'provider_unavailable' });
    const other = await fixture.worker();
    await live.refresh(other);
    await send(1, other);
    expect(first.requests).toBe(5);
    const opened = fixture.output.warnings.filter((line) => line.includes('keeps failing'));
    expect(opened).toHaveLength(1);
    expect(await other.registry.metrics()).toContain(
      'gangan_delivery_provider_state{provider="first",state="open"} 1',
    );
  });

  it('gives a provider no messages until its Retry-After, at most for five minutes; the next one gets them', async () => {
    await routeToBoth();
    const wait = (seconds: string) => () => ({
      status: 429,
      message: 'Too Many Requests',
      headers: { 'retry-after': seconds },
    });
    first.behaviour = wait('40');
    live.worker = await fixture.worker({ limits });
    const other = await fixture.worker({ limits });
    for (const worker of [live.worker, other]) await live.refresh(worker);
    expect(await fixture.states(await send(1))).toEqual(['sent']);
    await other.health.refresh();
    expect(await fixture.states([...(await send(2)), ...(await send(2, other))])).toEqual(
      Array(4).fill('sent'),
    );
    expect([first.requests, second.sent.length]).toEqual([1, 5]);
    expect(live.worker.health.retryInMs('first')).toBeGreaterThan(30_000);
    expect(other.health.retryInMs('first')).toBeLessThanOrEqual(40_000);

    // As if the time had passed.
    const end = sql`UPDATE provider_health SET retry_after = now() - interval '1 second'`;
    await fixture.database.execute(end);
    await live.refresh();
    first.behaviour = wait('86400');
    await send(1);
    expect(first.requests).toBe(2);
    expect(live.worker.health.retryInMs('first')).toBeLessThanOrEqual(300_000);

    await fixture.database.execute(end);
    await live.refresh();
    first.behaviour = () => 'accept';
    await send(1);
    expect(first.sent).toHaveLength(1);
  });

  it('messages wait while their only provider wants none, and use up no attempt', async () => {
    await routeToFirst();
    first.behaviour = () => ({
      status: 503,
      message: 'Service temporarily unavailable',
      headers: { 'retry-after': '20' },
    });
    const [id = ''] = await send(1);
    await live.retry();
    await live.retry();
    expect(first.requests).toBe(1);
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued', attempt: 1 });
  });

  it('tests an open circuit with one delivery of one worker: a failure doubles the time, a success closes the circuit', async () => {
    await routeToBoth();
    const other = await fixture.worker();
    first.behaviour = () => unavailable;
    await send(5);
    await makeTestDue(live.worker, other);
    await other.providers.refresh();
    const requests = first.requests;
    // An organisation for each worker: a worker that claims the test, but no delivery, would release it.
    const [organisationId, otherId] = [live.organisationId, await fixture.organisation(100_000_000n, 'live')];
    const request = { recipients: numbers('+23480322', 10).join(','), content: 'Hello', sender_id: 'Acme' };
    const { deliveries: own } = await live.worker.accept(organisationId, request);
    const { deliveries: others } = await live.worker.accept(otherId, request);
    const deliveries = [...own, ...others];
    await Promise.all([live.due(own), other.due(otherId, others)]);
    await live.retry();
    expect(first.requests).toBe(requests + 1);
    expect(new Set(await fixture.states(deliveries))).toEqual(new Set(['sent']));
    expect(await health()).toMatchObject({ state: 'open', failures: 2 });

    first.behaviour = () => 'accept';
    await makeTestDue(live.worker);
    const [tested = ''] = await send(1);
    await live.due([tested]);
    expect(await fixture.stored(tested)).toMatchObject({ state: 'sent', provider: 'first' });
    expect(await health()).toMatchObject({ state: 'up', failures: 0 });
    await send(2);
    expect(first.sent).toHaveLength(3);
  });

  it('is not affected by answers about messages, and a success between failures resets the count', async () => {
    await routeToBoth();
    first.behaviour = () => ({ status: 400, message: 'Country not set up on this route' });
    await send(6);
    let handled = 0;
    first.behaviour = () => ((handled += 1) % 5 === 0 ? 'accept' : unavailable);
    await send(10);
    expect(first.requests).toBe(16);
    expect(await health()).toBeUndefined();
  });

  it('pauses a provider that refuses our account, for all workers; no message fails', async () => {
    await routeToBoth();
    const other = await fixture.worker();
    first.behaviour = () => noCredit;
    const ids = await send(4);
    await live.refresh(other);
    ids.push(...(await send(1, other)));
    expect(new Set(await fixture.states(ids))).toEqual(new Set(['sent']));
    expect([first.requests, second.sent.length]).toEqual([3, 5]);
    expect(await health()).toEqual({ state: 'paused', failures: 1, code: 'account' });
    const lines = fixture.output.warnings.filter((line) => line.includes('refuses our account'));
    expect(lines).toHaveLength(1);
    expect(await live.worker.registry.metrics()).toContain(
      'gangan_delivery_results_total{provider="first",outcome="account"} 3',
    );
  });

  it('does not pause a provider that refuses one message again and again', async () => {
    await routeToFirst();
    first.behaviour = () => noCredit;
    const ids = await send(2);
    for (let round = 0; round < 5; round += 1) await live.retry();
    expect(first.requests).toBe(12);
    expect(await health()).toBeUndefined();
    expect(await fixture.states(ids)).toEqual(['queued', 'queued']);
  });

  it('resets the count of refusals after an accepted message, even in the same call', async () => {
    await routeToBoth();
    let handled = 0;
    first.behaviour = () => ((handled += 1) % 3 === 0 ? 'accept' : noCredit);
    await send(9);
    expect(await health()).toBeUndefined();
    first.behaviour = () => ((handled += 1) % 10 === 0 ? 'accept' : noCredit);
    handled = 0;
    await live.send({ recipients: numbers('+23480322', 10).join(',') });
    expect(first.requests).toBe(19);
    expect(await health()).toBeUndefined();
  });

  it.each([
    ['a refusal of the message', { status: 400, message: 'Invalid Sender Id' }],
    ['a route that is missing', { status: 400, message: 'Country not set up on this route' }],
    ['throttling', { status: 429, message: 'Too Many Requests' }],
    ['no answer', { status: 500, message: 'Server Error' }],
  ])('keeps a provider paused after %s; only an accepted message resumes it', async (_, refusal) => {
    await routeToFirst();
    live.worker = await fixture.worker({ limits });
    await live.refresh();
    first.behaviour = () => noCredit;
    await send(3);
    await failOpenDeliveries();
    await makeTestDue(live.worker);
    first.behaviour = () => refusal;
    await live.due(await send(1));
    expect(first.requests).toBe(4);
    expect(await health()).toMatchObject({ state: 'paused' });
    await failOpenDeliveries();
    await makeTestDue(live.worker);
    first.behaviour = () => 'accept';
    await live.due(await send(1));
    expect(await health()).toMatchObject({ state: 'up', failures: 0 });
  });

  describe('recording a result', () => {
    const provider = { name: 'first' };
    const unanswered: SubmitResult = { kind: 'unknown' };
    const refused: SubmitResult = {
      kind: 'transient',
      reason: { code: 'provider_unavailable', message: '' },
      cause: 'account',
    };
    const recordEach = async (results: readonly SubmitResult[]) => {
      for (const [index, result] of results.entries())
        await live.worker.health.record(
          provider,
          live.worker.health.admitUp('first'),
          [String(index)],
          [result],
        );
    };
    beforeEach(async () => {
      await addFirst();
      await live.refresh();
    });

    it('counts a batch without an answer as one failure', async () => {
      const ids = Array.from({ length: 100 }, (_, index) => String(index));
      const batch = ids.map((): SubmitResult => ({ ...unanswered, request: 0 }));
      const record = () =>
        live.worker.health.record(provider, live.worker.health.admitUp('first'), ids, batch);
      for (let call = 0; call < 4; call += 1) await record();
      expect(await health()).toBeUndefined();
      await record();
      expect(await health()).toMatchObject({ state: 'open', code: 'no_answer' });
    });

    it('ignores a call that started before the last change of the state', async () => {
      const before = live.worker.health.admitUp('first');
      await recordEach([refused, refused, refused]);
      await makeTestDue(live.worker);
      const test = await live.worker.health.admit('first');
      expect(test.recipients).toBe(1);
      await live.worker.health.record(provider, before, ['late'], [accepted('late')]);
      expect(await health()).toMatchObject({ state: 'paused', failures: 1 });
      await live.worker.health.record(provider, test, ['test'], [accepted('test')]);
      await live.worker.health.release('first', test);
      expect(await health()).toMatchObject({ state: 'up' });
      for (let late = 0; late < 9; late += 1)
        await live.worker.health.record(provider, before, [String(late)], [late < 5 ? unanswered : refused]);
      expect(await health()).toMatchObject({ state: 'up' });
    });

    it.each([
      ['paused', accepted('test')],
      ['paused', unanswered],
      ['up', unanswered],
    ])('ignores the test of a circuit that has become %s', async (state, result) => {
      await recordEach(Array.from({ length: 5 }, () => unanswered));
      await makeTestDue(live.worker);
      const test = await live.worker.health.admit('first');
      expect(test.tests).toBe('open');
      await fixture.database.execute(sql`
        UPDATE provider_health SET state = ${state}::provider_state,
          test_at = CASE WHEN ${state} <> 'up' THEN test_at END`);
      await live.worker.health.record(provider, test, ['test'], [result]);
      expect(await health()).toMatchObject({ state });
    });

    it('releases the test if nothing was submitted, or if it only asked and got an answer', async () => {
      await recordEach(Array.from({ length: 5 }, () => unanswered));
      await makeTestDue(live.worker);
      const other = await fixture.worker();
      await live.refresh(other);
      const unused = await live.worker.health.admit('first');
      expect((await other.health.admit('first')).recipients).toBe(0);
      await live.worker.health.release('first', unused);
      await other.health.refresh();
      const asked = await other.health.admit('first');
      expect(asked.recipients).toBe(1);
      await other.health.recordAsked('first', asked, ['1'], [{ kind: 'not_found' }]);
      await other.health.release('first', asked);
      const again = await other.health.admit('first');
      expect(again.recipients).toBe(1);
      expect(await health()).toMatchObject({ state: 'open', failures: 1 });
      await other.health.recordAsked('first', again, ['1'], [unanswered]);
      await other.health.release('first', again);
      expect(await health()).toMatchObject({ state: 'open', failures: 2 });
      expect((await other.health.admit('first')).recipients).toBe(0);
    });
  });

  it('lets messages wait while all providers are paused; later they are sent or refunded', async () => {
    await routeToFirst();
    first.behaviour = () => noCredit;
    const ids = await send(3);
    for (let round = 0; round < 10; round += 1) await live.retry();
    expect(await fixture.states(ids)).toEqual(['queued', 'queued', 'queued']);
    expect(first.requests).toBe(3);
    const [late = '', ...others] = ids;
    await fixture.endValidityOfOpen([late]);
    await live.worker.sweep();
    expect(await fixture.stored(late)).toMatchObject({
      state: 'failed',
      code: 'no_provider',
      refunded: true,
    });

    first.behaviour = () => 'accept';
    await makeTestDue(live.worker);
    for (let round = 0; round < 3; round += 1) await live.retry();
    expect(await fixture.states(others)).toEqual(['sent', 'sent']);
    expect(first.sent).toHaveLength(2);
  });

  it('halves the rate of a throttled provider at most once a second, for all workers', async () => {
    const id = await addFirst();
    await fixture.database.provider.update({ where: { id }, data: { rate: 1_000 } });
    await live.route([id, await live.add('second', second)]);
    live.worker = await fixture.worker({ limits });
    await live.refresh();
    first.behaviour = () => ({ status: 429, message: 'Too Many Requests' });
    const begun = performance.now();
    const ids = await send(3);
    const seconds = Math.ceil((performance.now() - begun) / 1_000);
    expect(new Set(await fixture.states(ids))).toEqual(new Set(['sent']));
    const rateOf = (own: DeliveryWorker) => own.health.rateOf({ name: 'first', rate: 1_000 });
    const halved = rateOf(live.worker);
    expect(halved).toBeGreaterThanOrEqual(1_000 / 2 ** seconds);
    expect(halved).toBeLessThan(1_000);
    const other = await fixture.worker();
    await live.refresh(other);
    expect(rateOf(other)).toBeGreaterThanOrEqual(halved);
    await fixture.database.execute(sql`UPDATE provider_health SET slowed_at = now() - interval '20 seconds'`);
    await other.health.refresh();
    expect(rateOf(other)).toBe(1_000);
  });

  it('limits a throttled provider without a configured rate to 10 messages a second if the worker is nearly idle', async () => {
    await routeToBoth();
    first.behaviour = () => ({ status: 429, message: 'Too Many Requests' });
    await send(1);
    expect(live.worker.health.rateOf({ name: 'first' })).toBeGreaterThanOrEqual(10);
    expect(live.worker.health.rateOf({ name: 'first' })).toBeLessThan(1_000);
  });

  it('stores the counts of submissions together, and keeps the last two periods', async () => {
    await routeToFirst();
    await send(3);
    first.behaviour = () => ({ status: 400, message: 'Invalid Sender Id' });
    await send(1);
    const counts = async () => {
      await live.worker.health.storeCounts();
      const [row] = await fixture.database.query(sql`
        SELECT submitted, not_accepted, submitted_before, not_accepted_before, error_code FROM provider_health`);
      return row;
    };
    const one = { submitted: 4, not_accepted: 1, error_code: 'invalid_sender' };
    expect(await counts()).toEqual({ ...one, submitted_before: 0, not_accepted_before: 0 });
    await fixture.database.execute(
      sql`UPDATE provider_health SET counted_since = now() - interval '6 minutes'`,
    );
    first.behaviour = () => 'accept';
    await send(2);
    expect(await counts()).toEqual({
      submitted: 2,
      not_accepted: 0,
      submitted_before: 4,
      not_accepted_before: 1,
      error_code: 'invalid_sender',
    });
  });
});
