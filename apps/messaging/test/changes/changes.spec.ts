import { sql } from '@gangan/database';
import { LeaseLostError } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { ChangeWorker } from '../support/change-worker.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const funds = 100_000_000n;
const callback = 'https://example.com/callbacks';
const never = new AbortController().signal;
const recipients = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `+234803${1_000_000 + index}`);

describe('a message that is paused, resumed or canceled', () => {
  const fixture = DeliveryFixture.use();
  let changes: ChangeWorker;
  beforeAll(async () => {
    changes = await ChangeWorker.create(fixture.database);
  });
  afterEach(async () => {
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
    await fixture.database.execute(sql`DELETE FROM message_change`);
    await fixture.database.execute(
      sql`UPDATE delivery SET state = 'failed', next_attempt_at = NULL, sealed_body = NULL WHERE state < 'delivered'`,
    );
  });

  const due = () => changes.get(DueRepository);
  const times = (ids: readonly string[]) =>
    fixture.database.query<{ held: boolean; due: boolean; renewed: boolean }>(sql`
      SELECT next_attempt_at = 'infinity' AS held, next_attempt_at <= now() AS due,
        coalesce(send_at > created_at, false) AS renewed
      FROM delivery WHERE id = ANY (${[...ids]}::uuid[])`);
  /** Makes the deliveries due that are not held. */
  const makeDue = () =>
    fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = now() - interval '1 ms'
      WHERE state IN ('queued', 'submitting') AND next_attempt_at < 'infinity'`);
  const sweep = async (worker: DeliveryWorker): Promise<void> => {
    await makeDue();
    await worker.sweep();
  };
  const canceledCallbacks = async (id: string) =>
    (await fixture.callbacks(id))
      .filter(({ type }) => type === 'message.canceled')
      .map(({ body }) => JSON.parse(body) as { data: object });

  it('is not sent while it is paused; other messages of its organisation are', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(3) });
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    expect(await changes.request('pause', organisation, id)).toMatchObject({
      id,
      status: 'paused',
      meta: { method: 'POST', resource: `/sms/${id}/pause` },
    });
    // Before the job has run.
    await worker.due(organisation, deliveries);
    await sweep(worker);
    expect(provider.submitted).toEqual([]);
    expect(await times(deliveries)).toEqual(Array(3).fill({ held: true, due: false, renewed: false }));
    await changes.run();
    expect(await changes.jobs()).toBe(0);
    const other = await fixture.accept(organisation);
    await sweep(worker);
    expect(provider.submitted.map(({ reference }) => reference)).toEqual(other.deliveries);
    expect(await fixture.states(deliveries)).toEqual(['queued', 'queued', 'queued']);
    expect(await worker.messages.find({ id }, { organisationId: organisation } as never)).toMatchObject({
      status: 'paused',
    });
    expect(await changes.change('resume', organisation, id)).toMatchObject({ status: 'processing' });
    expect(await times(deliveries)).toEqual(Array(3).fill({ held: false, due: true, renewed: true }));
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual(['sent', 'sent', 'sent']);
    expect(await fixture.available(organisation)).toBe(funds - 4n * price);
  });

  it('is held by its job, in batches', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(25) });
    await changes.request('pause', organisation, id);
    const slice = { read: 10, held: 4, canceled: 4, batches: 2 };
    expect(await changes.runSlice(slice)).toBe(true);
    const held = async () => (await times(deliveries)).filter((delivery) => delivery.held).length;
    expect(await held()).toBe(10);
    while (await changes.runSlice(slice));
    expect([await held(), await changes.jobs()]).toEqual([25, 0]);
    await changes.request('resume', organisation, id);
    expect(await changes.runSlice(slice)).toBe(true);
    expect(await held()).toBe(15);
    while (await changes.runSlice(slice));
    expect([await held(), await changes.jobs()]).toEqual([0, 0]);
  });

  it('is not claimed if it is paused or canceled after its deliveries were found due', async () => {
    const organisation = await fixture.organisation(funds);
    const [paused, canceled, other] = await Promise.all([1, 2, 3].map(() => fixture.accept(organisation)));
    const found = await due().findDue('sms', [organisation], 10);
    expect(found).toHaveLength(3);
    await changes.request('pause', organisation, paused?.id ?? '');
    await changes.request('cancel', organisation, canceled?.id ?? '');
    expect(await changes.get(ClaimsRepository).claim(found, 'scripted')).toMatchObject([
      { id: other?.deliveries[0] },
    ]);
  });

  it('is sent if it was resumed while a worker was about to hold it', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation);
    await changes.request('pause', organisation, id);
    const found = await due().findDue('sms', [organisation], 10);
    expect(found).toMatchObject([{ hold: 'paused' }]);
    await changes.change('resume', organisation, id);
    await due().hold(found);
    expect(await times(deliveries)).toMatchObject([{ held: false }]);
  });

  it('follows the last action: the job of an earlier one loses its lease', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(3) });
    await changes.request('pause', organisation, id);
    const pausing = await changes.repository.claimNext();
    if (!pausing) throw new Error('nothing is due');
    await changes.repository.apply(pausing, 'pause', deliveries.slice(0, 2));
    await changes.request('resume', organisation, id);
    await expect(changes.job.runSlice(pausing, never)).rejects.toThrow(LeaseLostError);
    await changes.run();
    // A job row of a later action may have the attempt of the first.
    await changes.request('pause', organisation, id);
    await changes.request('resume', organisation, id);
    await fixture.database.execute(sql`UPDATE message_change SET attempt = ${pausing.attempt}`);
    await expect(changes.repository.apply(pausing, 'pause', deliveries)).rejects.toThrow(LeaseLostError);
    await changes.run();
    expect((await times(deliveries)).map(({ held }) => held)).toEqual([false, false, false]);
    expect(await changes.jobs()).toBe(0);
  });

  it('keeps its scheduled time if it is paused and resumed before it', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation);
    const sendAt = new Date(Date.now() + 3_600_000);
    await fixture.database.message.update({ where: { id }, data: { sendAt } });
    expect(await changes.request('resume', organisation, id)).toMatchObject({ status: 'scheduled' });
    expect(await changes.change('pause', organisation, id)).toMatchObject({ status: 'paused' });
    expect(await times(deliveries)).toMatchObject([{ held: true }]);
    expect(await changes.change('resume', organisation, id)).toMatchObject({ status: 'scheduled' });
    const [row] = await fixture.database.delivery.findMany({ where: { messageId: id } });
    expect(row).toMatchObject({ nextAttemptAt: sendAt, sendAt });
    await changes.change('cancel', organisation, id);
    expect(await fixture.states(deliveries)).toEqual(['canceled']);
    expect(await fixture.available(organisation)).toBe(funds);
  });

  it('ends deliveries that no provider has, with a refund and one callback', async () => {
    const organisation = await fixture.organisation(funds);
    const externalRef = 'campaign-1';
    const options = { recipients: recipients(5), callback, externalRef };
    const { id, deliveries } = await fixture.accept(organisation, options);
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    await worker.due(organisation, deliveries.slice(0, 2));
    expect(await fixture.states(deliveries.slice(0, 2))).toEqual(['sent', 'sent']);
    expect(await changes.request('cancel', organisation, id)).toMatchObject({ status: 'canceled' });
    await sweep(worker);
    expect(provider.submitted).toHaveLength(2);
    expect(await canceledCallbacks(id)).toEqual([]);
    await changes.run();
    expect(await fixture.states(deliveries)).toEqual(['sent', 'sent', 'canceled', 'canceled', 'canceled']);
    expect(await fixture.stored(deliveries[4] ?? '')).toMatchObject({ refunded: true, code: null });
    expect(await fixture.available(organisation)).toBe(funds - 2n * price);
    expect(await canceledCallbacks(id)).toMatchObject([
      {
        type: 'message.canceled',
        data: { id, channel: 'sms', canceled: 3, submitted: 2, refunded: 12, external_ref: externalRef },
      },
    ]);
    expect(await changes.change('cancel', organisation, id)).toMatchObject({ status: 'canceled' });
    expect(await changes.jobs()).toBe(0);
    expect(await canceledCallbacks(id)).toHaveLength(1);
    const types = new Set((await fixture.callbacks(id)).map(({ type }) => type));
    expect(types).toEqual(new Set(['message.sent', 'message.canceled']));
  });

  it.each(['pause', 'cancel'] as const)(
    'records the answer of a provider after %s, and is not submitted again',
    async (action) => {
      const organisation = await fixture.organisation(funds);
      const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(2), callback });
      const provider = new ScriptedProvider();
      const answers = new Map(deliveries.map((delivery) => [delivery, new Pending<SubmitResult>()]));
      provider.onSubmit = ({ reference }) => answers.get(reference)?.answer ?? accepted(reference);
      const worker = await fixture.worker({ named: [provider] });
      const running = worker.due(organisation, deliveries);
      await until('the provider is called', () => provider.submitted.length === 2);
      await changes.change(action, organisation, id);
      expect(await fixture.states(deliveries)).toEqual(['submitting', 'submitting']);
      expect(await changes.jobs()).toBe(action === 'cancel' ? 1 : 0);
      answers.get(deliveries[0] ?? '')?.give(accepted(`${action}-first`));
      answers
        .get(deliveries[1] ?? '')
        ?.give({ kind: 'transient', reason: { code: 'busy', message: 'Busy' } });
      await running;
      expect(await fixture.states(deliveries)).toEqual(['sent', 'queued']);
      await sweep(worker);
      expect(provider.submitted).toHaveLength(2);
      expect(await times(deliveries.slice(1))).toMatchObject([{ held: true }]);
      await changes.run();
      const isCanceled = action === 'cancel';
      expect(await fixture.states(deliveries)).toEqual(['sent', isCanceled ? 'canceled' : 'queued']);
      expect(await fixture.available(organisation)).toBe(funds - (isCanceled ? 1n : 2n) * price);
      expect(await canceledCallbacks(id)).toMatchObject(
        isCanceled ? [{ data: { canceled: 1, submitted: 1, refunded: 4 } }] : [],
      );
    },
  );

  it('is canceled while it is paused, and while its organisation is suspended', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(2) });
    await changes.change('pause', organisation, id);
    await changes.request('cancel', organisation, id);
    await fixture.database.organisation.update({
      where: { id: organisation },
      data: { status: 'suspended' },
    });
    await changes.run();
    expect(await fixture.states(deliveries)).toEqual(['canceled', 'canceled']);
    expect(await fixture.available(organisation)).toBe(funds);
    expect(await changes.request('resume', organisation, id)).toMatchObject({ status: 'canceled' });
  });

  it('gives the same response to the same request, and rejects impossible changes', async () => {
    const organisation = await fixture.organisation(funds);
    const { id } = await fixture.accept(organisation);
    expect(await changes.request('resume', organisation, id)).toMatchObject({ status: 'processing' });
    for (let times = 0; times < 2; times += 1)
      expect(await changes.change('pause', organisation, id.toUpperCase())).toMatchObject({
        status: 'paused',
      });
    for (let times = 0; times < 2; times += 1)
      expect(await changes.change('resume', organisation, id)).toMatchObject({ status: 'processing' });
    await sweep(await fixture.worker());
    for (const action of ['pause', 'cancel'] as const)
      await expect(changes.request(action, organisation, id)).rejects.toMatchObject({
        status: 409,
        code: 'already_completed',
        message: expect.stringContaining(`there is nothing to ${action}.`),
        fields: [{ field: 'id', type: 'already_completed' }],
      });
    expect(await changes.request('resume', organisation, id)).toMatchObject({ status: 'completed' });
    const second = await fixture.accept(organisation);
    await changes.request('cancel', organisation, second.id);
    await expect(changes.request('pause', organisation, second.id)).rejects.toMatchObject({
      status: 409,
      code: 'already_canceled',
      fields: [{ field: 'id', type: 'already_canceled' }],
    });
    const stranger = await fixture.organisation();
    for (const [owner, unknown] of [
      [organisation, newId()],
      [organisation, 'x'],
      [stranger, second.id],
    ] as const)
      for (const action of ['pause', 'resume', 'cancel'] as const)
        await expect(changes.request(action, owner, unknown)).rejects.toMatchObject({ status: 404 });
    expect(await changes.jobs()).toBe(1);
    await changes.run();
  });

  it('is completed if no delivery is open, even while it is paused', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation);
    const provider = new ScriptedProvider();
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const worker = await fixture.worker({ named: [provider] });
    const running = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length === 1);
    expect(await changes.change('pause', organisation, id)).toMatchObject({ status: 'paused' });
    answer.give(accepted('while-paused'));
    await running;
    const context = { organisationId: organisation } as never;
    expect(await worker.messages.find({ id }, context)).toMatchObject({ status: 'completed' });
    for (const action of ['pause', 'cancel'] as const)
      await expect(changes.request(action, organisation, id)).rejects.toMatchObject({
        status: 409,
        code: 'already_completed',
      });
    expect(await changes.change('resume', organisation, id)).toMatchObject({ status: 'completed' });
    expect(await fixture.database.message.findUnique({ where: { id } })).toMatchObject({ pausedAt: null });
    expect(await changes.jobs()).toBe(0);
  });

  it('does not touch OTPs', async () => {
    const organisation = await fixture.organisation(funds);
    const { id } = await fixture.accept(organisation);
    const otp = await fixture.acceptOtp(organisation, 'Your code is 1234');
    await changes.change('pause', organisation, id);
    await sweep(await fixture.worker());
    expect(await fixture.states([otp])).toEqual(['sent']);
  });

  it('is continued by another worker if its worker has died', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, { recipients: recipients(3) });
    await changes.request('cancel', organisation, id);
    const dead = await ChangeWorker.create(fixture.database);
    expect(await dead.repository.claimNext()).toMatchObject({ messageId: id });
    expect(await changes.repository.claimNext()).toBeUndefined();
    await fixture.database.transaction(async (transaction) => {
      expect(await changes.holder.takeOver(transaction, dead.holder.id)).toMatchObject({ message_change: 1 });
    });
    while (await changes.runSlice());
    expect(new Set(await fixture.states(deliveries))).toEqual(new Set(['canceled']));
  });
});
