import { balancesOf, charge, checkLedger } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { aDelivery, aMessage, anOrganisation, anOtp } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { AdminFixture } from './support/admin-fixture.js';

const fixture = AdminFixture.use();
const admin = fixture.cli({ GANGAN_ACTOR: 'ada' });
const price = 400n;

describe('messages unanswered', () => {
  let organisationId: string;
  let open: string;
  let ended: string;
  let undelivered: string;
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE delivery, message CASCADE`);
    ({ id: organisationId } = await anOrganisation(fixture.database, { balanceKobo: 1_000_000n }));
    const id = newId();
    await charge(fixture.database, 'message', [{ subjectId: id, organisationId, kobo: 6n * price }]);
    await aMessage(fixture.database, organisationId, { id, chargeKobo: 6n * price });
    const add = (columns: Record<string, unknown>): Promise<string> =>
      aDelivery(fixture.database, organisationId, {
        messageId: id,
        provider: 'termii',
        attempt: 1,
        chargeKobo: price,
        ...columns,
      });
    const later = new Date(Date.now() + 3_600_000);
    open = await add({ state: 'submitting', nextAttemptAt: later });
    ended = await add({
      state: 'expired',
      errorCode: 'no_answer',
      createdAt: new Date(Date.now() - 7_200_000),
    });
    undelivered = await add({
      state: 'undelivered',
      provider: 'twilio',
      unansweredBy: ['termii'],
      errorCode: 'dnd',
    });
    // A provider is being called; a provider has accepted it; it was refunded.
    await add({ state: 'submitting', leaseHolder: 7n, nextAttemptAt: later });
    await add({ state: 'expired', errorCode: 'no_report' });
    await add({ state: 'failed', errorCode: 'no_answer', refunded: true });
    // It is charged, whatever the first provider did.
    await add({ state: 'undelivered', unansweredBy: ['termii'], errorCode: 'unreachable' });
  });
  const addOtps = async (status: number, count: number): Promise<void> => {
    const otpId = await anOtp(fixture.database, organisationId, { status });
    const columns = { otpId, provider: 'termii', state: 'submitting' };
    for (let made = 0; made < count; made += 1) await aDelivery(fixture.database, organisationId, columns);
  };

  const list = (...options: string[]) =>
    admin.json<{ delivery: string }[]>('messages', 'unanswered', ...options);
  const ids = async (...options: string[]) => (await list(...options)).map(({ delivery }) => delivery).sort();
  const settle = (...options: string[]) =>
    admin.json<{ settled: number }>('messages', 'unanswered', '--yes', ...options);
  const stored = (id: string) =>
    fixture.database.delivery.findUniqueOrThrow({
      where: { id },
      select: { state: true, refunded: true, resolution: true, nextAttemptAt: true },
    });
  const balance = async () => (await balancesOf(fixture.database, organisationId)).available;

  it('lists charged deliveries that a provider may have, by provider and time, with masked numbers', async () => {
    expect(await ids()).toEqual([open, ended, undelivered].sort());
    expect(await ids('--provider', 'twilio')).toEqual([undelivered]);
    expect(await ids('--provider', 'termii')).toEqual([open, ended, undelivered].sort());
    expect(await ids('--since', '1h')).toEqual([open, undelivered].sort());
    const [oldest] = await list();
    expect(oldest).toMatchObject({ delivery: ended, provider: 'termii', status: 'expired' });
    expect(JSON.stringify(oldest)).not.toMatch(/\+\d{6}/);
  });

  it('refunds ended ones at once, and leaves open ones to a worker', async () => {
    const before = await balance();
    expect(await settle('--refund')).toMatchObject({ settled: 3 });
    expect(await stored(ended)).toMatchObject({ state: 'expired', refunded: true });
    expect(await stored(undelivered)).toMatchObject({ state: 'undelivered', refunded: true });
    const waiting = await stored(open);
    expect(waiting).toMatchObject({ state: 'submitting', refunded: false, resolution: 'refund' });
    expect(waiting.nextAttemptAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000);
    expect((await balance()) - before).toBe(2n * price);
    expect(await ids()).toEqual([]);
    expect(await settle('--refund')).toMatchObject({ settled: 0 });
    expect(await checkLedger(fixture.database)).toMatchObject({ findings: [] });
    const entries = await fixture.database.query<object>(
      sql`SELECT actor, action FROM audit_log WHERE target = ${`delivery ${ended}`}`,
    );
    expect(entries).toEqual([{ actor: 'ada', action: 'messages unanswered' }]);
  });

  it('counts the time since a scheduled one was due', async () => {
    await fixture.database.execute(
      sql`UPDATE delivery SET send_at = now(), created_at = now() - interval '3 days' WHERE id = ${open}::uuid`,
    );
    expect(await ids('--since', '1h')).toEqual([open, undelivered].sort());
  });

  it('leaves out an OTP whose only delivery has evidently arrived', async () => {
    await addOtps(2, 1);
    expect(await list()).toHaveLength(3);
    await addOtps(2, 2);
    await addOtps(1, 1);
    expect(await list()).toHaveLength(6);
  });

  it('settles each of many once, for two operators at the same time', async () => {
    const [message, many] = [newId(), 620];
    const total = BigInt(many) * price;
    await charge(fixture.database, 'message', [{ subjectId: message, organisationId, kobo: total }]);
    await aMessage(fixture.database, organisationId, { id: message, chargeKobo: total });
    await fixture.database.execute(sql`
      INSERT INTO delivery (id, organisation_id, message_id, lane, channel, recipient, recipient_given, pages, charge_kobo,
        state, error_code, provider)
      SELECT gen_random_uuid(), ${organisationId}::uuid, ${message}::uuid, 'sms', 'sms', '+2348031234567', '+2348031234567',
        1, ${price}, 'expired', 'no_answer', 'termii' FROM generate_series(1, ${many}::int)`);
    const before = await balance();
    const both = await Promise.all([settle('--refund'), settle('--refund')]);
    expect(both.reduce((sum, { settled }) => sum + settled, 0)).toBe(many + 3);
    expect((await balance()) - before).toBe(total + 2n * price);
    expect(await checkLedger(fixture.database)).toMatchObject({ findings: [] });
  });

  it('sends only open ones of messages that are not canceled again', async () => {
    const canceled = newId();
    await aMessage(fixture.database, organisationId, { id: canceled, canceledAt: new Date() });
    await aDelivery(fixture.database, organisationId, { messageId: canceled, state: 'submitting' });
    expect(await settle('--resend')).toMatchObject({ settled: 1 });
    expect(await stored(open)).toMatchObject({ resolution: 'resend' });
    expect(await ids()).toEqual(expect.arrayContaining([ended, undelivered]));
  });

  it('keeps the charge of those that an operator has seen', async () => {
    expect(await settle('--keep', '--provider', 'twilio')).toMatchObject({ settled: 1 });
    expect(await ids()).toEqual([open, ended].sort());
    expect(await stored(undelivered)).toMatchObject({ refunded: false });
  });

  it('does not shorten the time for which the call of a worker that died can be in flight', async () => {
    const nextAttemptAt = new Date(Date.now() + 15_000);
    await fixture.database.delivery.update({ where: { id: open }, data: { nextAttemptAt, workerDeaths: 1 } });
    expect(await settle('--refund')).toMatchObject({ settled: 3 });
    expect(await stored(open)).toMatchObject({ state: 'submitting', resolution: 'refund', nextAttemptAt });
  });

  it('says before a decision what is tried again without it, and what happens to OTPs', async () => {
    const { err: usual } = await admin.run('messages', 'unanswered', '--refund');
    expect(usual).toContain('3 deliveries match, charged NGN 12.00. Refund them?');
    await addOtps(1, 1);
    await fixture.database.delivery.update({
      where: { id: open },
      data: { nextAttemptAt: new Date(Date.now() + 120_000) },
    });
    const { err } = await admin.run('messages', 'unanswered', '--refund');
    expect(err).toContain('2 of them are sent again or asked about within 10 minutes anyway.');
    expect(err).toContain(
      '1 of them are open OTPs: if nothing else was sent, a token that did arrive is refused afterwards.',
    );
    expect((await admin.run('messages', 'unanswered', '--resend')).err).not.toContain('OTPs');
  });

  it('rejects two decisions', async () => {
    const { err } = await admin.run('messages', 'unanswered', '--refund', '--keep', '--yes');
    expect(err).toContain('Use one of --refund, --resend and --keep.');
  });
});
