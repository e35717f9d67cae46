import { setTimeout as pause } from 'node:timers/promises';
import { lockWallets } from '@gangan/billing';
import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Conclusions } from '../src/outcome/apply.js';
import type { Answer } from '../src/providers/message-provider.js';
import { Mailroom, type Outage } from './support/mailroom.js';
import { accepted, Pending, ScriptedProvider } from './support/scripted-provider.js';

/** After the last of three pauses. */
const lastAttempt = 4;
const reason = { code: 'x', message: 'why' };
const unwritable: Answer = { kind: 'failed', reason: { code: 'no\0', message: 'a\0b\ud800' } };
const hangUp = () => new Error('socket hang up');

describe('what is not known of a delivery', () => {
  let mailroom: Mailroom;
  let organisation: string;
  beforeAll(async () => {
    mailroom = await Mailroom.open();
    organisation = await mailroom.organisation();
  }, 60_000);
  afterAll(() => mailroom.close());
  afterEach(() => mailroom.expectSoundLedger());

  const accept = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, place) => `+23480312${10_000 + place}`);
    return (await mailroom.accept(organisation, { recipients })).deliveries;
  };
  const one = async (): Promise<string> => (await accept())[0] ?? '';

  it('is nothing, however badly a provider words its answer', async () => {
    const provider = new ScriptedProvider();
    const answers = [unwritable, accepted('a\0b'), accepted('x'.repeat(10_000)), accepted('')];
    const ids = await accept(answers.length);
    provider.onSubmit = ({ reference }) => answers[ids.indexOf(reference)] ?? accepted('?');
    await mailroom.worker({ named: [provider] }).due(organisation, ids);
    expect(await mailroom.states(ids)).toEqual(['failed', 'sent', 'sent', 'sent']);
    expect(await mailroom.stored(ids[0] ?? '')).toMatchObject({ refunded: true, code: 'no' });
  });

  it('is written down for all but the one that cannot be', async () => {
    const ids = await accept(3);
    await mailroom.die(ids, 'scripted');
    const warnings: string[] = [];
    const logger = { error: (_: object, message: string) => void warnings.push(message) };
    const { changes } = await new Conclusions(mailroom.database, logger as never).conclude(
      ids.map((id, place) => ({
        ...{ held: { id, attempt: 1 }, outcome: 'failed', state: 'failed' },
        reason: place === 1 ? { code: 'x', message: 'a\0b' } : reason,
      })),
    );
    expect(changes).toHaveLength(2);
    expect(await mailroom.states(ids)).toEqual(['failed', 'submitting', 'failed']);
    expect(warnings).toContain('a delivery could not be concluded');
    await mailroom.growOld(ids);
    await mailroom.worker().sweep();
  });

  it('is nothing for those who were sent to, while the wallet for the refund of others stays locked', async () => {
    const provider = new ScriptedProvider();
    const worker = mailroom.worker({ named: [provider] });
    const ids = await accept(2);
    provider.onSubmit = ({ reference }) =>
      reference === ids[0] ? { kind: 'rejected', reason } : accepted(`of-${reference}`);
    await mailroom.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await worker.due(organisation, ids);
      expect(await mailroom.states(ids)).toEqual(['submitting', 'sent']);
    });
    await mailroom.pass();
    await worker.sweep();
    expect(await mailroom.states(ids)).toEqual(['rejected', 'sent']);
  });

  it('is nothing when the database was away for a moment', async () => {
    const provider = new ScriptedProvider();
    const ids = await accept(2);
    let outage: Outage | undefined;
    provider.onSubmit = async ({ reference }) => {
      await (outage ??= mailroom.outage()).began;
      return accepted(`of-${reference}`);
    };
    await mailroom.worker({ named: [provider] }).due(organisation, ids);
    await outage?.ended;
    expect(await mailroom.states(ids)).toEqual(['sent', 'sent']);
  }, 60_000);

  it('is waited for, though something else went wrong at the same time', async () => {
    const provider = new ScriptedProvider();
    const answer = new Pending<Answer>();
    provider.onSubmit = () => answer.answer;
    const worker = mailroom.worker({ named: [provider] });
    const [id = '', forlorn = ''] = await accept(2);
    await mailroom.die([forlorn], 'configured no more');
    let isIdle = false;
    const delivering = await mailroom.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM delivery WHERE id = ${forlorn} FOR UPDATE`);
      const due = worker.sweep().then(() => (isIdle = true));
      await until('the provider is called', () => provider.told.length === 1);
      await mailroom.untilLocked();
      await transaction.query(
        sql`SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`,
      );
      return { due };
    });
    await pause(300);
    expect(isIdle).toBe(false);
    answer.give(accepted(`of-${id}`));
    await delivering.due;
    expect(await mailroom.states([id, forlorn])).toEqual(['sent', 'submitting']);
  });

  it('does not make workers that die again and again send without end', async () => {
    const provider = new ScriptedProvider('mute');
    const worker = mailroom.worker({ named: [provider] });
    const id = await one();
    await mailroom.die([id], 'mute', lastAttempt);
    await worker.sweep();
    expect([provider.told, (await mailroom.stored(id)).state]).toEqual([[], 'submitting']);
    await worker.sweep();
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(provider.told).toEqual([]);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'expired', refunded: false, code: 'no_answer' });
  });

  it('is not paid back when nobody ever answers, and is waited for as long as it is valid', async () => {
    const provider = new ScriptedProvider('mute');
    provider.onSubmit = hangUp;
    const worker = mailroom.worker({ named: [provider] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < lastAttempt + 2; round += 1) {
      await mailroom.pass();
      await worker.sweep();
    }
    expect(provider.told).toHaveLength(lastAttempt);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'expired', refunded: false });
  });

  it.each([
    ['accepted', accepted('at last'), 'sent'],
    ['unheard', { kind: 'unheard' } as const, 'failed'],
    ['unknown', { kind: 'unknown' } as const, 'expired'],
  ])('is asked for until the end, which is %s', async (_, answer, state) => {
    const provider: ScriptedProvider = new ScriptedProvider('askable', () =>
      provider.asked.length > 6 ? answer : { kind: 'unknown' },
    );
    provider.onSubmit = hangUp;
    const worker = mailroom.worker({ named: [provider] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < 8; round += 1) {
      await mailroom.pass();
      await worker.sweep();
    }
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(provider.told).toHaveLength(1);
    expect(await mailroom.stored(id)).toMatchObject({ state, refunded: state === 'failed' });
  });

  it('is not forgotten when the same provider cannot take it the next time', async () => {
    const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
    first.onSubmit = () => (first.told.length > 1 ? { kind: 'transient', reason } : hangUp());
    const worker = mailroom.worker({ named: [first, second] });
    const id = await one();
    await worker.due(organisation, [id]);
    for (let round = 0; round < 9; round += 1) {
      await mailroom.pass();
      await worker.sweep();
    }
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(second.told).toEqual([]);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'expired', refunded: false, provider: 'first' });
  });

  it('stays with a provider that is configured no more, until it has expired', async () => {
    const other = new ScriptedProvider('other');
    const worker = mailroom.worker({ named: [other] });
    const id = await one();
    await mailroom.die([id], 'gone');
    await worker.sweep();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'submitting', provider: 'gone' });
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'expired', refunded: false });
    expect(other.told).toEqual([]);
  });

  it('is nothing when no provider was ever there: it has failed, and is given back', async () => {
    const worker = mailroom.worker({ named: [] });
    const id = await one();
    await worker.due(organisation, [id]);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'queued' });
    await mailroom.growOld([id]);
    await worker.sweep();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'no_provider' });
    expect(await mailroom.attempts(id)).toEqual([]);
  });

  it('grows no further: what could not be handed over in time is left to others', async () => {
    const callMs = 200;
    const provider = new ScriptedProvider();
    const worker = mailroom.worker({ named: [provider], callMs });
    const id = await one();
    const delivering = await mailroom.database.transaction(async (transaction) => {
      // The texts are out of reach until the claim is old.
      await transaction.execute(sql`LOCK TABLE message IN ACCESS EXCLUSIVE MODE`);
      const due = worker.due(organisation, [id]);
      await transaction.execute(sql`SELECT pg_sleep(${(3 * callMs) / 1_000})`);
      return { due };
    });
    await delivering.due;
    expect([provider.told, (await mailroom.stored(id)).state]).toEqual([[], 'submitting']);
    await mailroom.pass();
    await worker.sweep();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
  });
});
