import { setTimeout as pause } from 'node:timers/promises';
import { lockWallets } from '@gangan/billing';
import type { LimitDecision } from '@gangan/queue';
import { sql } from '@gangan/database';
import { BatchScope, newContext, runInContext } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { DeliveryWorker, WorkerOptions } from '../support/delivery-worker.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const request = { recipients: '08031234567', content: 'Hello' };
const busy: SubmitResult = { kind: 'transient', reason: { code: 'busy', message: 'Busy' } };

/** Counts calls. */
class CountingProvider extends ScriptedProvider {
  readonly calls: string[][] = [];

  override submit(submissions: Parameters<ScriptedProvider['submit']>[0]) {
    this.calls.push(submissions.map(({ text }) => text));
    return super.submit(submissions);
  }
}

describe('deliveries that are claimed when they are inserted', () => {
  const fixture = DeliveryFixture.use();
  afterEach(async () => {
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
  });

  /** Runs the requests of several organisations as members of one batch. */
  const sendTogether = (
    worker: DeliveryWorker,
    members: readonly { organisation: string; content: string }[],
  ) => {
    const batch = new BatchScope(members.length);
    return Promise.all(
      members.map(({ organisation: organisationId, content }) => {
        const context = newContext({ organisationId });
        const send = () =>
          worker.messages.send({ ...request, content }, context).finally(() => {
            batch.memberFinished();
          });
        return runInContext(context, send, batch);
      }),
    );
  };
  const sendPromotions = (id: string) =>
    fixture.database.execute(
      sql`UPDATE organisation SET settings = '{"sms": {"default_category": "promotional"}}' WHERE id = ${id}`,
    );

  it('are submitted without an event, and end like all others', async () => {
    const organisation = await fixture.organisation(1_000_000n);
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const { id, deliveries } = await worker.accept(organisation, {
      recipients: '08031234567,08031234568',
      content: 'Hello',
      callback: 'https://example.com/cb',
    });
    await worker.idle();
    expect(worker.announced).toEqual([]);
    expect(provider.submitted.map(({ reference }) => reference)).toEqual(deliveries);
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({
      state: 'sent',
      attempt: 1,
      provider: 'scripted',
    });
    expect(await fixture.attempts(deliveries[0] ?? '')).toEqual([
      { provider: 'scripted', outcome: 'accepted' },
    ]);
    expect((await fixture.callbacks(id)).map(({ type }) => type)).toEqual(['message.sent', 'message.sent']);
    expect(await fixture.available(organisation)).toBe(1_000_000n - 2n * price);
  });

  it('are held by this process until their outcome is stored', async () => {
    const organisation = await fixture.organisation();
    const answer = new Pending<SubmitResult>();
    const provider = new ScriptedProvider();
    provider.onSubmit = () => answer.answer;
    const worker = await fixture.worker({ named: [provider], timeoutMs: 10_000 });
    const { deliveries } = await worker.accept(organisation, request);
    await until('the provider is called', () => provider.submitted.length === 1);
    const [row] = await fixture.database.query<{ holder: bigint; leaseMs: number }>(sql`
      SELECT lease_holder AS holder, extract(epoch FROM next_attempt_at - now())::float8 * 1000 AS "leaseMs"
      FROM delivery WHERE id = ${deliveries[0]} AND state = 'submitting' AND attempt = 1`);
    expect(row?.holder).toBe(worker.holder.id);
    expect(row?.leaseMs).toBeGreaterThan(20_000);
    expect(row?.leaseMs).toBeLessThanOrEqual(40_000);
    answer.give(accepted('first'));
    await worker.idle();
    expect(await fixture.states(deliveries)).toEqual(['sent']);
  });

  it('share provider calls fairly with deliveries of other organisations', async () => {
    const [a, b] = [await fixture.organisation(), await fixture.organisation()];
    const provider = new CountingProvider();
    const worker = await fixture.worker({ named: [provider] });
    await sendTogether(worker, [
      { organisation: a, content: 'a1' },
      { organisation: a, content: 'a2' },
      { organisation: b, content: 'b1' },
    ]);
    await worker.idle();
    expect(provider.calls).toEqual([['a1', 'b1', 'a2']]);
  });

  it('are submitted once, even if the request runs again', async () => {
    const organisationId = await fixture.organisation();
    const provider = new ScriptedProvider();
    const [one, other] = [
      await fixture.worker({ named: [provider] }),
      await fixture.worker({ named: [provider] }),
    ];
    const context = newContext({ organisationId });
    for (const worker of [one, other, one]) await worker.messages.send(request, context);
    await Promise.all([one, other].map((worker) => worker.idle()));
    expect(provider.submitted).toHaveLength(1);
    // They have been announced, and an event of a delivery that is not queued does nothing.
    await other.due(organisationId, other.announced);
    expect(provider.submitted).toHaveLength(1);
  });

  it('are submitted once, even if the request is twice in a batch', async () => {
    const organisationId = await fixture.organisation();
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const [context, batch] = [newContext({ organisationId }), new BatchScope(2)];
    const tracked = { ...request, content: 'See https://example.com/offer', is_trackable: true };
    const send = () =>
      worker.messages.send(tracked, context).finally(() => {
        batch.memberFinished();
      });
    await Promise.all([1, 2].map(() => runInContext(context, send, batch)));
    await worker.idle();
    expect(provider.submitted).toHaveLength(1);
    // Each run made its own link; the one that was sent is stored.
    const [code = ''] = /(?<=\/l\/)[\w-]+/.exec(provider.submitted[0]?.text ?? '') ?? [];
    expect(
      await fixture.database.query(sql`SELECT code FROM tracked_link WHERE code = ${code}`),
    ).toHaveLength(1);
  });

  it('are submitted once, even if they are free', async () => {
    await fixture.database.execute(sql`INSERT INTO price (service, prefix, kobo) VALUES ('sms', '4479', 0)`);
    const organisationId = await fixture.organisation();
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const context = newContext({ organisationId });
    for (let run = 0; run < 2; run += 1)
      await worker.messages.send({ ...request, recipients: '+447911123456' }, context);
    await worker.idle();
    expect(provider.submitted).toHaveLength(1);
  });

  it('do not belong to a suspended organisation, even if it was suspended just before the statement', async () => {
    const organisation = await fixture.organisation();
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const data = { status: 'suspended' } as const;
    await fixture.database.organisation.update({ where: { id: organisation }, data });
    const { deliveries } = await worker.accept(organisation, request);
    await worker.idle();
    expect(provider.submitted).toEqual([]);
    expect(worker.announced).toEqual(deliveries);
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({
      state: 'queued',
      attempt: 0,
      provider: null,
    });
  });

  it('do not belong to promotional messages, whose recipients may have opted out', async () => {
    const organisation = await fixture.organisation();
    await sendPromotions(organisation);
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const sms = await worker.accept(organisation, request);
    const chat = await worker.accept(organisation, { ...request, channel: 'whatsapp' });
    await worker.idle();
    const deliveries = [...sms.deliveries, ...chat.deliveries];
    expect(worker.announced).toEqual(deliveries);
    expect(await fixture.states(deliveries)).toEqual(['queued', 'queued']);
  });

  it('use at most half of the buffer per organisation', async () => {
    const organisation = await fixture.organisation();
    const allow = { take: () => Promise.resolve({ allowed: true, remaining: 0, fullInMs: 0, nextInMs: 0 }) };
    const worker = await fixture.worker({
      named: [new ScriptedProvider()],
      rate: 4,
      limits: allow,
    });
    const [two, three] = [
      await worker.accept(organisation, { ...request, recipients: '08031234567,08031234568' }),
      await worker.accept(organisation, { ...request, recipients: '08031234567,08031234568,08031234569' }),
    ];
    await worker.idle();
    expect(await fixture.states(two.deliveries)).toEqual(['sent', 'sent']);
    // A part of a message is claimed, the rest is scheduled.
    expect(worker.announced).not.toHaveLength(0);
    expect(worker.announced).toEqual(three.deliveries.slice(-worker.announced.length));
    const claimed = three.deliveries.slice(0, -worker.announced.length);
    expect(await fixture.states(three.deliveries)).toEqual([
      ...claimed.map(() => 'sent'),
      ...worker.announced.map(() => 'queued'),
    ]);
  });

  it('are the first of a message for which there is not enough room; all are sent once if their worker dies', async () => {
    const organisation = await fixture.organisation(1_000_000n);
    const provider = new ScriptedProvider('scripted', (reference) => accepted(`of-${reference}`));
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const allow = { take: () => Promise.resolve({ allowed: true, remaining: 0, fullInMs: 0, nextInMs: 0 }) };
    const dead = await fixture.worker({ named: [provider], rate: 4, limits: allow, timeoutMs: 10_000 });
    const recipients = Array.from({ length: 5 }, (_, index) => `0803123456${index}`).join(',');
    const { deliveries } = await dead.accept(organisation, { ...request, recipients });
    expect(await fixture.states(deliveries)).toEqual([
      ...['submitting', 'submitting'],
      ...['queued', 'queued', 'queued'],
    ]);
    await until('the provider has both', () => provider.submitted.length === 2);
    await until('the others are announced', () => dead.announced.length > 0);
    expect(dead.announced).toEqual(deliveries.slice(2));
    await fixture.database.transaction((transaction) => dead.holder.takeOver(transaction, dead.holder.id));
    await fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 second' WHERE organisation_id = ${organisation}`);
    provider.onSubmit = ({ reference }) => accepted(reference);
    const living = await fixture.worker({ named: [provider], timeoutMs: 10_000 });
    for (let sweeps = 0; sweeps < deliveries.length; sweeps += 1) await living.sweep();
    expect(await fixture.states(deliveries)).toEqual(deliveries.map(() => 'sent'));
    answer.give(accepted(''));
    await dead.idle();
    const submitted = provider.submitted.map(({ reference }) => reference);
    // On a slow machine the sweeps also find deliveries of earlier tests.
    const own = submitted.filter((reference) => deliveries.includes(reference));
    expect(own.toSorted()).toEqual(deliveries.toSorted());
    expect(await fixture.available(organisation)).toBe(1_000_000n - 5n * price);
  });

  it('go to the next provider at once if the first does not accept them', async () => {
    const organisation = await fixture.organisation();
    const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
    first.onSubmit = () => busy;
    const worker = await fixture.worker({ named: [first, second] });
    const { deliveries } = await worker.accept(organisation, request);
    await until('the second provider is called', () => second.submitted.length === 1);
    await worker.idle();
    expect(await fixture.attempts(deliveries[0] ?? '')).toEqual([
      { provider: 'first', outcome: 'transient' },
      { provider: 'second', outcome: 'accepted' },
    ]);
  });

  describe('when the process stops', () => {
    const fresh = { state: 'queued', attempt: 0, provider: null };
    const allowed: LimitDecision = { allowed: true, remaining: 0, fullInMs: 0, nextInMs: 0 };
    const limited = async (take = () => Promise.resolve(allowed)) => {
      const provider = new ScriptedProvider();
      const worker = await fixture.worker({ named: [provider], rate: 100, limits: { take } });
      return { worker, provider };
    };

    it('are given back before their first call, with their permit', async () => {
      const organisation = await fixture.organisation();
      const permit = new Pending<LimitDecision>();
      const { worker, provider } = await limited(() => permit.answer);
      // It would submit what is given back.
      await worker.service.beforeApplicationShutdown();
      const { deliveries } = await worker.accept(organisation, request);
      const stopping = worker.insertClaims.beforeApplicationShutdown();
      permit.give(allowed);
      await stopping;
      expect(provider.submitted).toEqual([]);
      expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject(fresh);
    });

    it('are given back if their message is being stored', async () => {
      const organisation = await fixture.organisation();
      const { worker, provider } = await limited();
      await worker.service.beforeApplicationShutdown();
      const stopped = await fixture.database.transaction(async (transaction) => {
        await lockWallets(transaction, [organisation]);
        const storing = worker.accept(organisation, request);
        await until('the statement waits for the wallet', async () => {
          const waiting = await fixture.database.query(
            sql`SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return waiting.length > 0;
        });
        return { storing, stopping: worker.insertClaims.beforeApplicationShutdown() };
      });
      const { deliveries } = await stopped.storing;
      await stopped.stopping;
      expect(provider.submitted).toEqual([]);
      expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject(fresh);
    });
  });

  describe('whose provider is slow', () => {
    /** As its heartbeat does. */
    const registers = ({ holder }: DeliveryWorker): Promise<number> =>
      fixture.database.execute(
        sql`INSERT INTO lease_holder (id, app, host, pid) VALUES (${holder.id}, 'messaging', 'test', 1)`,
      );
    /** A worker whose only call to the provider hangs, and a delivery that waits for the next. */
    const waiting = async (times: WorkerOptions['times'] = {}) => {
      const organisation = await fixture.organisation();
      const answer = new Pending<SubmitResult>();
      const provider = new ScriptedProvider();
      provider.onSubmit = () => answer.answer;
      const worker = await fixture.worker({ named: [provider], timeoutMs: 30_000, window: 1, times });
      await registers(worker);
      const first = await worker.accept(organisation, request);
      await until('the provider is called', () => provider.submitted.length === 1);
      const second = await worker.accept(organisation, request);
      const ids = [...first.deliveries, ...second.deliveries];
      return { organisation, message: second.id, worker, provider, answer, ids };
    };
    const fresh = { state: 'queued', attempt: 0, provider: null };

    it('wait for a call, and are claimed for the next one', async () => {
      const { worker, provider, answer, ids } = await waiting();
      // The worker looks for late ones in this time.
      await pause(500);
      expect(await fixture.states(ids)).toEqual(['submitting', 'submitting']);
      answer.give(accepted(''));
      await worker.idle();
      expect(await fixture.states(ids)).toEqual(['sent', 'sent']);
      expect(provider.submitted).toHaveLength(2);
    });

    it('are given back when they have waited for too long, and sent by the schedule', async () => {
      const { worker, provider, answer, ids } = await waiting({ bufferMs: 1_000 });
      const [, late = ''] = ids;
      await until('it is given back', async () => (await fixture.stored(late)).state === 'queued');
      expect(await fixture.stored(late)).toMatchObject(fresh);
      expect(await fixture.attempts(late)).toEqual([]);
      answer.give(accepted(''));
      await worker.idle();
      expect(await fixture.states(ids)).toEqual(['sent', 'sent']);
      expect(provider.submitted).toHaveLength(2);
      expect(await fixture.attempts(late)).toEqual([{ provider: 'scripted', outcome: 'accepted' }]);
    });

    describe('for longer than a submission may wait after its claim', () => {
      const confirming = () => waiting({ startMs: -1 });

      it('are submitted with their first claim', async () => {
        const { worker, provider, answer, ids } = await confirming();
        answer.give(accepted(''));
        await worker.idle();
        expect(provider.submitted.map(({ reference }) => reference)).toEqual(ids);
        expect(await fixture.states(ids)).toEqual(['sent', 'sent']);
      });

      it('are left to the others after this process was taken for dead', async () => {
        const { worker, provider, answer, ids } = await confirming();
        const { id } = worker.holder;
        await fixture.database.transaction(async (transaction) => {
          await transaction.execute(sql`DELETE FROM lease_holder WHERE id = ${id}`);
          await worker.holder.takeOver(transaction, id);
          const due = await transaction.query<{ seconds: number }>(sql`
            SELECT extract(epoch FROM next_attempt_at - now())::int AS seconds FROM delivery
            WHERE id = ANY (${ids}::uuid[])`);
          // Its submission may begin 3 s after it was confirmed, and take 30 s.
          expect(due).toEqual([{ seconds: 33 }, { seconds: 33 }]);
        });
        // It runs again.
        await registers(worker);
        answer.give(accepted(''));
        await worker.insertClaims.idle();
        expect(provider.submitted).toHaveLength(1);
        expect(await fixture.states(ids)).toEqual(['sent', 'submitting']);
      });

      it.each([
        ['their message was paused', sql`UPDATE message SET paused_at = now() WHERE id = `, 'message'],
        [
          'their organisation was suspended',
          sql`UPDATE organisation SET status = 'suspended' WHERE id = `,
          'organisation',
        ],
      ] as const)('are given back if %s', async (_, change, of) => {
        const found = await confirming();
        const { worker, provider, answer, ids } = found;
        await fixture.database.execute(sql`${change}${found[of]}`);
        answer.give(accepted(''));
        await until('it is given back', async () => (await fixture.stored(ids[1] ?? '')).state === 'queued');
        expect(await fixture.stored(ids[1] ?? '')).toMatchObject(fresh);
        await worker.idle();
        expect(provider.submitted).toHaveLength(1);
      });
    });

    it('are not given back after another process has claimed them', async () => {
      const { worker, answer, ids } = await waiting();
      const [, taken = ''] = ids;
      await fixture.database.execute(
        sql`UPDATE delivery SET attempt = 2, lease_holder = 1 WHERE id = ${taken}`,
      );
      const stopping = worker.insertClaims.beforeApplicationShutdown();
      answer.give(accepted(''));
      await stopping;
      expect(await fixture.stored(taken)).toMatchObject({ state: 'submitting', attempt: 2 });
    });

    it('leave half of the calls to the schedule', async () => {
      const organisations = [await fixture.organisation(), await fixture.organisation()];
      const provider = new ScriptedProvider();
      const answer = new Pending<SubmitResult>();
      provider.onSubmit = () => answer.answer;
      const worker = await fixture.worker({ named: [provider], timeoutMs: 5_000, window: 4 });
      const [many = '', other = ''] = organisations;
      for (let sent = 0; sent < 4; sent += 1) {
        await worker.accept(many, request);
        await pause(50);
      }
      expect(provider.submitted).toHaveLength(2);
      const { deliveries } = await fixture.accept(other);
      const due = worker.due(other, deliveries);
      await until('the schedule calls the provider', () => provider.submitted.length === 3);
      answer.give(accepted(''));
      await due;
      await worker.idle();
    });

    it('are given back when the process stops, which waits for the calls in flight', async () => {
      const { worker, provider, answer, ids } = await waiting();
      const stopping = Promise.all(
        [worker.service, worker.insertClaims].map((part) => part.beforeApplicationShutdown()),
      );
      await until('it is given back', async () => (await fixture.stored(ids[1] ?? '')).state === 'queued');
      answer.give(accepted(''));
      await stopping;
      expect(await fixture.states(ids)).toEqual(['sent', 'queued']);
      const { deliveries } = await worker.accept(await fixture.organisation(), request);
      expect(worker.announced).toEqual(deliveries);
      expect(provider.submitted).toHaveLength(1);
    });
  });
});
