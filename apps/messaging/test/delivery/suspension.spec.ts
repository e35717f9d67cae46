import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { anOrganisation, until } from '@gangan/testing';
import { afterEach, describe, expect, it } from '@jest/globals';
import { HelpAnswersRepository } from '../../src/keywords/help-answers.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import type { SubmitResult } from '../../src/providers/message-provider.js';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';

const funds = 100_000_000n;
const callback = 'https://example.com/callbacks';

describe('the deliveries of a suspended organisation', () => {
  // One connection, so that its statistics are complete.
  const fixture = DeliveryFixture.use(1);
  afterEach(async () => {
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
  });

  const setStatus = (id: string, status: 'active' | 'suspended') =>
    fixture.database.organisation.update({ where: { id }, data: { status } });
  /** As if they had been due for so many hours. */
  const age = (ids: readonly string[], hours: number) =>
    fixture.database.execute(sql`
      UPDATE delivery SET created_at = now() - ${hours}::int * interval '1 hour' - interval '5 seconds',
        next_attempt_at = now() - ${hours}::int * interval '1 hour' WHERE id = ANY (${[...ids]}::uuid[])`);
  const expireOtp = (deliveryId: string) =>
    fixture.database.execute(sql`
      UPDATE otp SET expires_at = now() WHERE id = (SELECT otp_id FROM delivery WHERE id = ${deliveryId})`);

  it('are held, and sent after its activation', async () => {
    const organisation = await fixture.organisation(funds);
    const { deliveries } = await fixture.accept(organisation, { recipients: ['+2348031234567'] });
    const otp = await fixture.acceptOtp(organisation, 'Your code is 1234');
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    await setStatus(organisation, 'suspended');
    await worker.due(organisation, deliveries);
    await worker.due(organisation, [otp], 'otp');
    await fixture.makeDue();
    await worker.sweep();
    await worker.held.endLapsed();
    expect(provider.submitted).toEqual([]);
    expect(await fixture.stored(otp)).toMatchObject({ state: 'queued', attempt: 0, isSealed: true });
    await setStatus(organisation, 'active');
    await worker.sweep();
    expect(provider.submitted.map(({ reference }) => reference).toSorted()).toEqual(
      [otp, ...deliveries].toSorted(),
    );
    expect(await fixture.states([otp, ...deliveries])).toEqual(['sent', 'sent']);
    expect(await fixture.available(organisation)).toBe(funds - 2n * price);
  });

  it('are held if its account is suspended', async () => {
    const { id, accountId } = await anOrganisation(fixture.database, { balanceKobo: funds });
    const { deliveries } = await fixture.accept(id);
    const data = { status: 'suspended' } as const;
    await fixture.database.account.update({ where: { id: accountId }, data });
    await fixture.makeDue();
    await (await fixture.worker()).sweep();
    expect(await fixture.states(deliveries)).toEqual(['queued']);
  });

  it('are not claimed if the organisation was suspended after they were found due', async () => {
    const [suspended, other] = [await fixture.organisation(), await fixture.organisation()];
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const repository = worker.get(DueRepository);
    const find = async (organisationId: string) => {
      await fixture.accept(organisationId);
      return repository.findDue('sms', [organisationId], 10);
    };
    const due = [...(await find(suspended)), ...(await find(other))];
    expect(due).toHaveLength(2);
    await setStatus(suspended, 'suspended');
    const claimed = await worker.get(ClaimsRepository).claim(due, 'scripted');
    expect(claimed).toMatchObject([{ organisationId: other, mode: 'test', attempt: 1 }]);
    // No other test finds it.
    await setStatus(other, 'suspended');
  });

  it('that a provider already has are recorded as it answers and reports; no others are sent', async () => {
    const organisation = await fixture.organisation();
    const { id, deliveries } = await fixture.accept(organisation, { callback });
    const second = await fixture.accept(organisation);
    const provider = new ScriptedProvider();
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const worker = await fixture.worker({ named: [provider] });
    const running = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length > 0);
    await setStatus(organisation, 'suspended');
    answer.give(accepted('first'));
    await running;
    expect(await fixture.states(deliveries)).toEqual(['sent']);
    await worker.reports.receive(provider.name, [{ providerReference: 'first', state: 'delivered' }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types).toEqual(['message.sent', 'message.delivered']);
    await fixture.makeDue();
    await worker.sweep();
    expect(provider.submitted).toHaveLength(1);
    expect(await fixture.states(second.deliveries)).toEqual(['queued']);
  });

  it('fail with a refund when their validity period ends, and only then', async () => {
    const organisation = await fixture.organisation(funds);
    const { id, deliveries } = await fixture.accept(organisation, {
      recipients: ['+2348031234567', '+2348031234568', '+2348031234569'],
      callback,
    });
    const [old = '', unsure = '', recent = ''] = deliveries;
    const worker = await fixture.worker();
    await fixture.crash([unsure], 'simulator');
    await age([old, unsure], 25);
    await age([recent], 23);
    await worker.held.endLapsed();
    expect(await fixture.states(deliveries)).toEqual(['queued', 'submitting', 'queued']);
    await setStatus(organisation, 'suspended');
    expect(await worker.held.endLapsed()).toBe(false);
    expect(await fixture.stored(old)).toMatchObject({ state: 'failed', refunded: true, code: 'suspended' });
    // A carrier may have it, so it is not refunded.
    expect(await fixture.stored(unsure)).toMatchObject({
      state: 'expired',
      refunded: false,
      code: 'no_answer',
    });
    expect(await fixture.stored(recent)).toMatchObject({ state: 'queued', attempt: 0 });
    expect(await fixture.available(organisation)).toBe(funds - 2n * price);
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['message.expired', 'message.failed']);
  });

  it('end with the OTP that they carry, with a refund', async () => {
    const organisation = await fixture.organisation(funds);
    const expired = await fixture.acceptOtp(organisation, 'Your code is 1234');
    const valid = await fixture.acceptOtp(organisation, 'Your code is 5678', '+2348031234568');
    const worker = await fixture.worker();
    await setStatus(organisation, 'suspended');
    await fixture.makeDue();
    await expireOtp(expired);
    fixture.output.events.length = 0;
    await worker.held.endLapsed();
    expect(await fixture.stored(expired)).toMatchObject({
      state: 'failed',
      refunded: true,
      code: 'suspended',
      isSealed: false,
      attempt: 0,
    });
    expect(fixture.output.events).toMatchObject([{ delivery_id: expired, status: 'failed' }]);
    expect(await fixture.stored(valid)).toMatchObject({ state: 'queued', isSealed: true });
    expect(await fixture.available(organisation)).toBe(funds - price);
  });

  it('keep no text of an OTP that was revoked or verified', async () => {
    const organisation = await fixture.organisation(funds);
    const accept = (text: string) => fixture.acceptOtp(organisation, text);
    const [revoked, verified, unsure] = [await accept('1'), await accept('2'), await accept('3')];
    await fixture.crash([unsure], 'simulator');
    await setStatus(organisation, 'suspended');
    await fixture.makeDue();
    await fixture.database.otp.updateMany({ where: { id: { in: [revoked, unsure] } }, data: { status: 5 } });
    await fixture.database.otp.update({ where: { id: verified }, data: { status: 2 } });
    await (await fixture.worker()).held.endLapsed();
    const ended = { state: 'failed', refunded: true, isSealed: false };
    expect(await fixture.stored(revoked)).toMatchObject(ended);
    expect(await fixture.stored(verified)).toMatchObject(ended);
    expect(await fixture.stored(unsure)).toMatchObject({
      state: 'submitting',
      refunded: false,
      isSealed: false,
    });
    expect(await fixture.available(organisation)).toBe(funds - price);
  });

  it('do not slow down the sweeps of others, even if many are held', async () => {
    const [held, other] = [await fixture.organisation(), await fixture.organisation()];
    await setStatus(held, 'suspended');
    const worker = await fixture.worker();
    const rowsRead = async (): Promise<number> => {
      await fixture.database.query(sql`SELECT pg_stat_force_next_flush()`);
      const [row] = await fixture.database.query<{ rows: number }>(sql`
        SELECT (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables WHERE relname = 'delivery'`);
      return row?.rows ?? 0;
    };
    const sweepOfOther = async (): Promise<number> => {
      const { deliveries } = await fixture.accept(other);
      await fixture.makeDue();
      await fixture.database.execute(sql`ANALYZE delivery`);
      const before = await rowsRead();
      await worker.sweep();
      await worker.held.endLapsed();
      const read = (await rowsRead()) - before;
      expect(await fixture.states(deliveries)).toEqual(['sent']);
      return read;
    };
    await fixture.accept(held);
    const few = await sweepOfOther();
    const recipients = Array.from({ length: 5_000 }, (_, index) => `+234803${1_000_000 + index}`);
    await fixture.accept(held, { recipients });
    expect(await sweepOfOther()).toBeLessThan(few + 20);
  });
});

describe('the answers to HELP of a suspended organisation', () => {
  const fixture = DeliveryFixture.use();

  it('are held until its activation; those of others are sent', async () => {
    const [suspended, other] = [await fixture.organisation(), await fixture.organisation()];
    const answers = (await fixture.worker()).get(HelpAnswersRepository);
    const answerOf = (organisationId: string) => ({
      id: newId(),
      ...({ organisationId, channel: 'sms', phone: '+2348031234567', incomingId: newId() } as const),
      askedOn: '2026-11-15',
    });
    const [held, sent] = [answerOf(suspended), answerOf(other)];
    await answers.add(fixture.database, [held, sent]);
    const setStatus = (status: 'active' | 'suspended') =>
      fixture.database.organisation.update({ where: { id: suspended }, data: { status } });
    await setStatus('suspended');
    expect(await answers.claimNext()).toMatchObject({ id: sent.id });
    expect(await answers.claimNext()).toBeUndefined();
    await setStatus('active');
    expect(await answers.claimNext()).toMatchObject({ id: held.id });
  });
});
