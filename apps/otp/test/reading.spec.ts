import { sql } from '@gangan/database';
import { firstIdAt, newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kindOf, TestOtp, type Worker } from './support/test-otp.js';

describe('reading and revoking', () => {
  let fixture: TestOtp;
  let worker: Worker;
  let organisationId: string;
  beforeAll(async () => {
    fixture = await TestOtp.open();
    worker = await fixture.worker();
    organisationId = await fixture.organisation();
  });
  afterAll(() => fixture.close());

  const by = (organisation = organisationId) => newContext({ organisationId: organisation });
  const read = (id: string, organisation?: string) => worker.service.find({ id }, by(organisation));

  const announced = (id: string, organisation?: string) =>
    worker.fallbacks.deliveryEnded({ otp_id: id, delivery_id: id, status: 'failed' }, by(organisation));
  const failed = async (id: string, organisation?: string) => {
    await fixture.endDelivery(id);
    await announced(id, organisation);
  };

  it('returns the same record as the request', async () => {
    const asked = await fixture.request(worker, organisationId, { recipient: '0803 123 4567' });
    expect(await read((asked as { id: string }).id.toUpperCase())).toEqual({
      ...(asked as object),
      sends: [{ channel: 'sms', status: 'queued', created_datetime: expect.any(String) }],
    });
  });

  it('shows that an OTP has expired, and when', async () => {
    const own = await fixture.organisation();
    const id = await fixture.otp(worker, own, { expires_in: 1 });
    await fixture.passTime(own, 1.01);
    expect(await read(id, own)).toMatchObject({
      status: 3,
      status_desc: 'EXPIRED',
      updated_datetime: await fixture.expiryOf(id),
    });
    expect(await worker.service.list({ recipient: '08031234567' }, by(own))).toMatchObject([
      { id, status: 3 },
    ]);
    // What has expired ends in no other way.
    await failed(id, own);
    expect(await worker.service.revoke({ id }, by(own))).toMatchObject({ status: 3 });
  });

  it('revokes an OTP only while it can be verified', async () => {
    const id = await fixture.otp(worker, organisationId, { token: 'right' });
    const revoked = await worker.service.revoke({ id }, by());
    expect(revoked).toMatchObject({
      id,
      status: 5,
      status_desc: 'REVOKED',
      updated_datetime: expect.any(String),
    });
    expect(await worker.service.revoke({ id }, by())).toEqual(revoked);
    const verified = await fixture.otp(worker, organisationId, { token: 'right' });
    await fixture.verify(worker, organisationId, verified, 'right');
    expect(await worker.service.revoke({ id: verified }, by())).toMatchObject({ status: 2 });
    await failed(verified);
    expect(await read(verified)).toMatchObject({ status: 2 });
  });

  it('fails an OTP with its own delivery only', async () => {
    const [id, other] = [
      await fixture.otp(worker, organisationId),
      await fixture.otp(worker, organisationId),
    ];
    await failed(other);
    await announced(id);
    expect(await read(id)).toMatchObject({ status: 1 });
    await failed(id);
    expect(await read(id)).toMatchObject({ status: 4, status_desc: 'FAILED' });
  });

  it.each(['rejected', 'failed', 'undelivered', 'expired'] as const)(
    'fails an OTP whose delivery ended as %s, even without an event',
    async (state) => {
      const own = await fixture.organisation();
      const id = await fixture.otp(worker, own, { token: 'right' });
      await fixture.endDelivery(id, state);
      const { sends, ...first } = await read(id, own);
      expect(first).toMatchObject({ status: 4, updated_datetime: expect.any(String) });
      expect(sends).toMatchObject([{ channel: 'sms', status: state }]);
      expect(kindOf(await fixture.verify(worker, own, id, 'right'))).toBe('400 token_undeliverable');
      expect(await worker.service.revoke({ id }, by(own))).toEqual(first);
      expect(await worker.service.list({ recipient: '08031234567' }, by(own))).toEqual([first]);
      // The event, should it come after all, changes nothing.
      await failed(id, own);
      expect(await read(id, own)).toEqual({ ...first, sends });
      await fixture.passTime(own, 61);
      expect(await read(id, own)).toMatchObject({ status: 4 });
    },
  );

  it('does not fail an OTP that was delivered or has ended', async () => {
    const own = await fixture.organisation();
    const [arrived, verified, expired] = [
      await fixture.otp(worker, own),
      await fixture.otp(worker, own, { token: 'right' }),
      await fixture.otp(worker, own, { expires_in: 1 }),
    ];
    await fixture.endDelivery(arrived, 'delivered');
    await fixture.verify(worker, own, verified, 'right');
    await fixture.endDelivery(verified);
    await fixture.passTime(own, 1.01);
    await fixture.endDelivery(expired);
    const read = [arrived, verified, expired].map((id) => worker.service.find({ id }, by(own)));
    expect((await Promise.all(read)).map(({ status }) => status)).toEqual([1, 2, 3]);
  });

  it('hides the OTPs of other organisations', async () => {
    const id = await fixture.otp(worker, organisationId);
    const stranger = await fixture.organisation();
    for (const [asked, organisation] of [
      [id, stranger],
      [newId(), organisationId],
      ['..', organisationId],
      ['get-by-recipient', organisationId],
      ['x'.repeat(500), organisationId],
    ] as const) {
      await expect(read(asked, organisation)).rejects.toMatchObject({ status: 404 });
      await expect(worker.service.revoke({ id: asked }, by(organisation))).rejects.toMatchObject({
        status: 404,
      });
    }
    expect(await read(id)).toMatchObject({ status: 1 });
    expect(await worker.service.list({ recipient: '08031234567' }, by(stranger))).toEqual([]);
  });

  it('lists the OTPs of a recipient, newest first, in any spelling of the number', async () => {
    const own = await fixture.organisation();
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) ids.unshift(await fixture.otp(worker, own));
    await fixture.otp(worker, own, { recipient: '08031234568' });
    for (const recipient of ['08031234567', '+234 803 123 4567', '2348031234567']) {
      expect((await worker.service.list({ recipient }, by(own))).map(({ id }) => id)).toEqual(ids);
    }
    const few = await worker.service.list({ recipient: '08031234567', limit: 2 }, by(own));
    expect(few.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  });

  it('deletes old OTPs with their deliveries and attempts', async () => {
    const own = await fixture.organisation();
    const [kept, old] = [await fixture.otp(worker, own, { token: 'right' }), await fixture.otp(worker, own)];
    await fixture.verify(worker, own, old, 'wrong');
    await fixture.endDelivery(old, 'delivered');
    const longAgo = firstIdAt(new Date(Date.now() - 31 * 86_400_000));
    await fixture.database.execute(sql`UPDATE otp SET id = ${longAgo}::uuid WHERE id = ${old}::uuid`);
    expect(await worker.retention.prune()).toBe(false);
    expect([await fixture.count('otp', own), await fixture.count('delivery', own)]).toEqual([1, 1]);
    await expect(read(longAgo, own)).rejects.toMatchObject({ status: 404 });
    expect(await read(kept, own)).toMatchObject({ status: 1 });
  });

  it('deletes OTPs earlier if the organisation keeps them for less time, also after a change of the setting', async () => {
    const [own, other] = [await fixture.organisation(), await fixture.organisation()];
    /** In the past, so that the OTPs of earlier tests are not in the way. */
    const aged = async (organisationId: string, days: number, state?: string): Promise<void> => {
      const id = await fixture.otp(worker, organisationId);
      if (state === undefined) await fixture.endDelivery(id, 'delivered');
      const [first, last] = [firstIdAt(new Date(Date.now() - days * 86_400_000)), id.slice(24)];
      await fixture.database.execute(
        sql`UPDATE otp SET id = ${first.slice(0, 24) + last}::uuid WHERE id = ${id}::uuid`,
      );
    };
    for (const organisationId of [own, other]) {
      await aged(organisationId, 11);
      await aged(organisationId, 9);
      await aged(organisationId, 6);
    }
    await aged(own, 11, 'queued');
    const set = (days: number) =>
      fixture.database.organisationRetention.upsert({
        where: { kind_organisationId: { kind: 'otps', organisationId: own } },
        create: { kind: 'otps', organisationId: own, days },
        update: { days },
      });
    const pruneAll = async (): Promise<void> => {
      while (await worker.retention.prune());
    };
    await set(10);
    await pruneAll();
    expect([await fixture.count('otp', own), await fixture.count('otp', other)]).toEqual([3, 3]);
    await set(7);
    await pruneAll();
    expect([await fixture.count('otp', own), await fixture.count('otp', other)]).toEqual([2, 3]);
  });

  it('deletes such OTPs later if they were locked or their delivery had not ended', async () => {
    const own = await fixture.organisation();
    await fixture.database.organisationRetention.create({
      data: { kind: 'otps', organisationId: own, days: 10 },
    });
    const aged = async (): Promise<string> => {
      const id = await fixture.otp(worker, own);
      const old = firstIdAt(new Date(Date.now() - 12 * 86_400_000)).slice(0, 24) + id.slice(24);
      await fixture.database.execute(sql`UPDATE otp SET id = ${old}::uuid WHERE id = ${id}::uuid`);
      return old;
    };
    const [locked, open, ended] = [await aged(), await aged(), await aged()];
    await fixture.endDelivery(locked);
    await fixture.endDelivery(ended);
    const pruneAll = async (): Promise<void> => {
      while (await worker.retention.prune());
    };
    await fixture.database.transaction(async (transaction) => {
      await transaction.execute(sql`SELECT FROM otp WHERE id = ${locked}::uuid FOR UPDATE`);
      await pruneAll();
    });
    expect(await fixture.count('otp', own)).toBe(2);
    await pruneAll();
    expect(await fixture.count('otp', own)).toBe(1);
    await fixture.endDelivery(open);
    await pruneAll();
    expect(await fixture.count('otp', own)).toBe(0);
  });

  it.each(['queued', 'submitting', 'sent'])('keeps an old OTP while its delivery is %s', async (state) => {
    const own = await fixture.organisation();
    const id = await fixture.otp(worker, own);
    await fixture.database.execute(sql`
      UPDATE delivery SET state = ${state}::delivery_state,
        sealed_body = ${state === 'sent' ? sql`NULL` : sql`sealed_body`} WHERE id = ${id}`);
    const longAgo = firstIdAt(new Date(Date.now() - 31 * 86_400_000));
    await fixture.database.execute(sql`UPDATE otp SET id = ${longAgo}::uuid WHERE id = ${id}::uuid`);
    await worker.retention.prune();
    expect(await fixture.count('otp', own)).toBe(1);
    await fixture.endDelivery(longAgo);
    await worker.retention.prune();
    expect([await fixture.count('otp', own), await fixture.count('delivery', own)]).toEqual([0, 0]);
  });
});
