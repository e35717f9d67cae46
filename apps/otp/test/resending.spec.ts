import { sql } from '@gangan/database';
import { AppError, newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kindOf, tally, TestOtp, type Worker } from './support/test-otp.js';

describe('resending an OTP', () => {
  let fixture: TestOtp;
  let worker: Worker;
  let organisationId: string;
  beforeAll(async () => {
    fixture = await TestOtp.open();
    worker = await fixture.worker();
    organisationId = await fixture.organisation();
  });
  afterAll(async () => {
    await fixture.expectSoundLedger();
    await fixture.close();
  });

  const resend = async (id: string, owner = organisationId) =>
    kindOf(await fixture.resend(worker, owner, id));

  it('sends the same token on the last channel or on another', async () => {
    const own = await fixture.organisation();
    const before = await fixture.available(own);
    const id = await fixture.otp(worker, own, { token: 'right1' });
    const expiry = await fixture.expiryOf(id);
    await fixture.resend(worker, own, id, 'whatsapp');
    const answer = await fixture.resend(worker, own, id);
    expect(answer).toMatchObject({
      id,
      status: 1,
      sends: [{ channel: 'sms' }, { channel: 'whatsapp' }, { channel: 'whatsapp', status: 'queued' }],
    });
    for (const send of [0, 1, 2]) expect((await fixture.text(id, send)).text).toContain('right1');
    const charges = (await fixture.deliveries(id)).map(({ kobo }) => kobo);
    expect(await fixture.available(own)).toBe(before - charges.reduce((sum, kobo) => sum + kobo));
    expect(await fixture.expiryOf(id)).toBe(expiry);
    expect(kindOf(await fixture.verify(worker, own, id, 'right1'))).toBe('200');
  });

  it('sends once if the queue runs the request several times', async () => {
    const id = await fixture.otp(worker, organisationId);
    const context = newContext({ organisationId });
    const workers = [worker, await fixture.worker()];
    const run = (index: number) =>
      fixture.resend(workers[index % 2] as Worker, organisationId, id, undefined, context);
    const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => run(index)));
    expect(tally(answers)).toEqual({ '200': 6 });
    expect((await fixture.deliveries(id)).map((each) => each.id)).toEqual([id, context.operationId]);
    await worker.service.revoke({ id }, context);
    expect(kindOf(await run(0))).toBe('200');
    expect(await resend(id)).toBe('400 token_revoked');
  });

  it('rejects an OTP that has ended or expires soon, and changes nothing', async () => {
    const own = await fixture.organisation();
    const otp = () => fixture.otp(worker, own, { token: 'right1', expires_in: 5 });
    const [verified, exhausted, failed, soon] = [await otp(), await otp(), await otp(), await otp()];
    await fixture.verify(worker, own, verified, 'right1');
    for (let attempt = 0; attempt < 5; attempt += 1) await fixture.verify(worker, own, exhausted, 'wrong');
    await fixture.endDelivery(failed);
    const before = await fixture.available(own);
    expect(await resend(verified, own)).toBe('409 already_verified');
    expect(await resend(exhausted, own)).toBe('429 too_many_attempts');
    expect(await resend(failed, own)).toBe('400 token_undeliverable');
    await fixture.passTime(own, 4.1);
    expect(await fixture.resend(worker, own, soon)).toMatchObject({
      code: 'token_expired',
      status: 400,
      message: 'The OTP is about to expire: request a new one',
      fields: [{ field: 'id' }],
    });
    await fixture.passTime(own, 1);
    expect(await resend(soon, own)).toBe('400 token_expired');
    expect([await fixture.available(own), await fixture.count('delivery', own)]).toEqual([before, 4]);
  });

  it('responds with 404 to an id that is unknown, malformed or of another organisation', async () => {
    const id = await fixture.otp(worker, organisationId);
    expect(await resend(id, await fixture.organisation())).toMatch(/^404 /);
    expect([await resend(newId()), await resend('..')]).toEqual(['404 not_found', '404 not_found']);
    expect(await fixture.deliveries(id)).toHaveLength(1);
  });

  it('obeys the send limits, the balance and the limit of ten messages', async () => {
    const limited = await fixture.organisation({ otpSendsPerRecipient: 3 });
    const id = await fixture.otp(worker, limited);
    const answers = await Promise.all(
      fixture.contexts(limited, 6).map((context) => fixture.resend(worker, limited, id, undefined, context)),
    );
    expect(tally(answers)).toEqual({ '200': 2, '429 too_many_attempts': 4 });
    expect(answers.find((answer) => answer instanceof AppError)).toMatchObject({
      retryAfter: expect.any(Number),
    });
    const prefix = await fixture.organisation({ otpSendsPerPrefix: 2 });
    const first = await fixture.otp(worker, prefix, { recipient: '+2348031230001' });
    expect(await resend(first, prefix)).toBe('200');
    const next = { recipient: '+2348031230002' };
    expect(kindOf(await fixture.request(worker, prefix, next))).toBe('429 too_many_attempts');
    const poor = await fixture.organisation({}, {}, 500n);
    const only = await fixture.otp(worker, poor);
    expect(await resend(only, poor)).toBe('402 insufficient_balance');
    const rich = await fixture.otp(worker, organisationId);
    for (let count = 1; count < 10; count += 1) expect(await resend(rich)).toBe('200');
    expect(await resend(rich)).toBe('429 too_many_attempts');
    expect(await fixture.deliveries(rich)).toHaveLength(10);
  });

  it('rejects an OTP without a stored token, as earlier versions created them', async () => {
    const id = await fixture.otp(worker, organisationId);
    await fixture.database.execute(sql`UPDATE otp SET sealed_token = NULL WHERE id = ${id}`);
    expect(await resend(id)).toBe('400 token_unavailable');
  });

  it('stores the token sealed, and bound to its OTP', async () => {
    const [one, other] = [
      await fixture.otp(worker, organisationId, { token: 'right1' }),
      await fixture.otp(worker, organisationId, { token: 'right2' }),
    ];
    const rows = await fixture.database.query<{ row: string }>(
      sql`SELECT encode(sealed_token, 'escape') || otp::text AS row FROM otp WHERE id = ${one}`,
    );
    expect(rows[0]?.row).not.toContain('right1');
    await fixture.database.execute(sql`
      UPDATE otp SET sealed_token = (SELECT sealed_token FROM otp WHERE id = ${one}) WHERE id = ${other}`);
    expect(await resend(other)).toBe('400 token_unavailable');
  });
});
