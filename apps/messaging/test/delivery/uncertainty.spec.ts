import { setTimeout as sleep } from 'node:timers/promises';
import { lockWallets } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DeliveryFixture, type Outage } from '../support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

/** After the last of three pauses. */
const lastAttempt = 4;
const reason = { code: 'x', message: 'why' };
const unwritable: SubmitResult = { kind: 'failed', reason: { code: 'no\0', message: 'a\0b\ud800' } };
const hangUp = () => new Error('socket hang up');

describe('an unknown outcome', () => {
  const fixture = DeliveryFixture.use();
  let organisation: string;
  beforeAll(async () => {
    organisation = await fixture.organisation();
  });
  afterEach(() => fixture.expectCleanLedger());

  const accept = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`);
    return (await fixture.accept(organisation, { recipients })).deliveries;
  };
  const one = async (): Promise<string> => (await accept())[0] ?? '';

  it('does not arise from a result with an invalid text', async () => {
    const provider = new ScriptedProvider();
    const answers = [unwritable, accepted('a\0b'), accepted('x'.repeat(10_000)), accepted('')];
    const ids = await accept(answers.length);
    provider.onSubmit = ({ reference }) => answers[ids.indexOf(reference)] ?? accepted('?');
    await (await fixture.worker({ named: [provider] })).due(organisation, ids);
    expect(await fixture.states(ids)).toEqual(['failed', 'sent', 'sent', 'sent']);
    expect(await fixture.stored(ids[0] ?? '')).toMatchObject({ refunded: true, code: 'no' });
  });

  it('of one delivery that cannot be stored does not affect the others', async () => {
    const ids = await accept(3);
    await fixture.crash(ids, 'scripted');
    const snapshot = { organisationId: organisation, attempt: 1, state: 'submitting', ageMs: 0 } as const;
    const delivery = { ...snapshot, quietMs: null };
    const policy = {
      validityMs: 1,
      delaysMs: [],
      askIntervalMs: 1,
      maxUnroutableMs: 1,
      routeId: null,
      providersPerRound: 1,
      hasNextProvider: false,
      hasOtherProvider: false,
      canAsk: false,
    };
    const { deliveries } = await (
      await fixture.worker()
    ).outcomes.record(
      ids.map((id, index) => ({
        delivery: { ...delivery, id, outcomeUnknown: false, unansweredElsewhere: false, trafficClass: 'sms' },
        event: {
          type: 'refused',
          retryable: false,
          state: 'failed',
          reason: index === 1 ? { code: 'x', message: 'a\0b' } : reason,
        },
        policy,
      })),
    );
    expect(deliveries).toHaveLength(2);
    expect(await fixture.states(ids)).toEqual(['failed', 'submitting', 'failed']);
    expect(fixture.output.warnings).toContain('could not store the outcome of deliveries');
    await fixture.endValidityOfOpen(ids);
    await (await fixture.worker()).sweep();
  });

  it('does not arise for sent deliveries while the wallet for the refund of others is locked', async () => {
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const ids = await accept(2);
    provider.onSubmit = ({ reference }) =>
      reference === ids[0] ? { kind: 'rejected', reason } : accepted(`of-${reference}`);
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await worker.due(organisation, ids);
      expect(await fixture.states(ids)).toEqual(['submitting', 'sent']);
    });
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.states(ids)).toEqual(['rejected', 'sent']);
  });

  it('does not arise for sent OTPs while the OTP of an expired delivery is locked', async () => {
    const accept = () => fixture.acceptOtp(organisation, 'Your code is 123456');
    const [old, other] = [await accept(), await accept()];
    const provider = new ScriptedProvider('scripted', () => ({ kind: 'unknown' }));
    const worker = await fixture.worker({ named: [provider] });
    await fixture.crash([old, other], 'scripted');
    const snapshot = { organisationId: organisation, attempt: 1, state: 'submitting', ageMs: 0 } as const;
    const delivery = {
      ...snapshot,
      outcomeUnknown: true,
      unansweredElsewhere: false,
      quietMs: null,
      trafficClass: 'otp',
    } as const;
    await fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM otp WHERE id = ${old} FOR UPDATE`);
      const recording = worker.outcomes.record([
        { delivery: { ...delivery, id: old, ageMs: Infinity }, event: { type: 'exhausted' } },
        { delivery: { ...delivery, id: other }, event: { type: 'accepted', providerReference: 'r' } },
      ]);
      await until('the acceptance is stored', async () => (await fixture.stored(other)).state === 'sent');
      recording.catch(() => undefined);
    });
    await until('the other is stored', async () => (await fixture.stored(old)).state === 'expired');
  });

  it('does not arise if the database is briefly unavailable', async () => {
    const provider = new ScriptedProvider();
    const ids = await accept(2);
    let outage: Outage | undefined;
    provider.onSubmit = async ({ reference }) => {
      await (outage ??= fixture.outage()).began;
      return accepted(`of-${reference}`);
    };
    await (await fixture.worker({ named: [provider] })).due(organisation, ids);
    await outage?.ended;
    expect(await fixture.states(ids)).toEqual(['sent', 'sent']);
  });

  it('is waited for even if another call fails at the same time', async () => {
    const provider = new ScriptedProvider();
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const worker = await fixture.worker({ named: [provider] });
    const [id = '', forlorn = ''] = await accept(2);
    await fixture.crash([forlorn], 'configured no more');
    let isIdle = false;
    const delivering = await fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM delivery WHERE id = ${forlorn} FOR UPDATE`);
      const due = worker.sweep().then(() => (isIdle = true));
      await until('the provider is called', () => provider.submitted.length === 1);
      await fixture.untilLocked();
      await transaction.query(
        sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
      );
      return { due };
    });
    await sleep(300);
    expect(isIdle).toBe(false);
    answer.give(accepted(`of-${id}`));
    await delivering.due;
    expect(await fixture.states([id, forlorn])).toEqual(['sent', 'submitting']);
  });

  it('does not cause endless sending if workers keep dying', async () => {
    const provider = new ScriptedProvider('mute');
    const worker = await fixture.worker({ named: [provider] });
    const id = await one();
    await fixture.crash([id], 'mute', lastAttempt);
    await worker.sweep();
    expect([provider.submitted, (await fixture.stored(id)).state]).toEqual([[], 'submitting']);
    await worker.sweep();
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false, code: 'no_answer' });
  });

  it('is not refunded if no answer ever comes, and waits for the validity period', async () => {
    const provider = new ScriptedProvider('mute');
    provider.onSubmit = hangUp;
    const worker = await fixture.worker({ named: [provider] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < lastAttempt + 2; round += 1) {
      await fixture.makeDue();
      await worker.sweep();
    }
    expect(provider.submitted).toHaveLength(lastAttempt);
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false });
  });

  it.each([
    ['accepted', accepted('at last'), 'sent'],
    ['not_found', { kind: 'not_found' } as const, 'failed'],
    ['unknown', { kind: 'unknown' } as const, 'expired'],
  ])('is asked for until the last answer, which is %s', async (_, answer, state) => {
    const provider: ScriptedProvider = new ScriptedProvider('askable', () =>
      provider.asked.length > 6 ? answer : { kind: 'unknown' },
    );
    provider.onSubmit = hangUp;
    const worker = await fixture.worker({ named: [provider] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < 8; round += 1) {
      await fixture.makeDue();
      await worker.sweep();
    }
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(provider.submitted).toHaveLength(1);
    expect(await fixture.stored(id)).toMatchObject({ state, refunded: state === 'failed' });
  });

  it('remains if the same provider refuses the next attempt', async () => {
    const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
    first.onSubmit = () => (first.submitted.length > 1 ? { kind: 'transient', reason } : hangUp());
    const worker = await fixture.worker({ named: [first, second] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < 9; round += 1) {
      await fixture.makeDue();
      await worker.sweep();
    }
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(second.submitted).toEqual([]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false, provider: 'first' });
  });

  it('stays with a provider that is no longer configured until it expires', async () => {
    const other = new ScriptedProvider('other');
    const worker = await fixture.worker({ named: [other] });
    const id = await one();
    await fixture.crash([id], 'gone');
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', provider: 'gone' });
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false });
    expect(other.submitted).toEqual([]);
  });

  it('does not arise without a provider: the delivery fails and is refunded', async () => {
    const worker = await fixture.worker({ named: [] });
    const id = await one();
    await worker.due(organisation, [id]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'queued' });
    await fixture.endValidityOfOpen([id]);
    await worker.sweep();
    expect(await fixture.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'no_provider' });
    expect(await fixture.attempts(id)).toEqual([]);
  });
});
