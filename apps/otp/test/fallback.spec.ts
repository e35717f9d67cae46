import { anEndpoint } from '@gangan/testing';
import { newContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { kindOf, TestOtp, type Worker } from './support/test-otp.js';

describe('a fallback of an OTP', () => {
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

  const whatsapp = { channel: 'whatsapp', fallback_channels: ['sms'] } as const;
  const request = (owner = organisationId, further: object = {}) =>
    fixture.otp(worker, owner, { token: 'right1', ...whatsapp, fallback_channels: ['sms'], ...further });
  const ended = (id: string, owner = organisationId, by = worker) =>
    by.fallbacks.deliveryEnded(
      { otp_id: id, delivery_id: id, status: 'failed' },
      newContext({ organisationId: owner }),
    );
  const fails = async (id: string, owner = organisationId): Promise<void> => {
    await fixture.endDelivery(id);
    await ended(id, owner);
  };
  const channels = async (id: string) => (await fixture.deliveries(id)).map(({ channel }) => channel);
  const read = (id: string, owner = organisationId) =>
    worker.service.find({ id }, newContext({ organisationId: owner }));
  const verify = async (id: string, owner = organisationId) =>
    kindOf(await fixture.verify(worker, owner, id, 'right1'));

  it('has the same token and its own charge, and is announced', async () => {
    const own = await fixture.organisation();
    const before = await fixture.available(own);
    const id = await request(own);
    const [first] = await fixture.deliveries(id);
    await fails(id, own);
    const [, second] = await fixture.deliveries(id);
    expect(await fixture.text(id, 1)).toMatchObject({ text: expect.stringContaining('right1') });
    expect(second).toMatchObject({ otpId: id, channel: 'sms', lane: 'otp', state: 'queued' });
    expect(second?.id).not.toBe(id);
    expect(fixture.announced).toContain(second?.id);
    expect(await fixture.available(own)).toBe(before - (first?.kobo ?? 0n) - (second?.kobo ?? 0n));
    expect(await read(id, own)).toMatchObject({
      status: 1,
      sends: [
        { channel: 'whatsapp', status: 'failed', updated_datetime: expect.any(String) },
        { channel: 'sms', status: 'queued' },
      ],
    });
    expect(await fixture.hasToken(id)).toBe(true);
    expect([await verify(id, own), await verify(id, own)]).toEqual(['200', '409 already_verified']);
    expect(await fixture.hasToken(id)).toBe(false);
  });

  it('is not sent after a delivery, and never twice', async () => {
    const id = await request();
    await fixture.endDelivery(id, 'delivered');
    await fixture.passTime(organisationId, 1);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp']);
    const other = await request();
    await fixture.endDelivery(other);
    const workers = [worker, await fixture.worker(), await fixture.worker()];
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        if (index % 3 === 0) await workers[index % 2]?.fallbacks.sweep();
        else await ended(other, organisationId, workers[index % 3]);
      }),
    );
    expect(await channels(other)).toEqual(['whatsapp', 'sms']);
  });

  it('is sent by a sweeper if a delivery is late, even without an event', async () => {
    const own = await fixture.organisation();
    const id = await request(own, { fallback_after: 60 });
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp']);
    await fixture.passTime(own, 1.01);
    await worker.fallbacks.sweep();
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
    await fixture.passTime(own, 1.01);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
    expect(await verify(id, own)).toBe('200');
  });

  it('waits while messaging is down, because the first message has not been tried', async () => {
    const own = await fixture.organisation();
    const id = await request(own, { fallback_after: 60 });
    const setDelivery = (data: object) => fixture.database.delivery.update({ where: { id }, data });
    await setDelivery({ nextAttemptAt: new Date(Date.now() - 60_000) });
    await fixture.passTime(own, 1.01);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp']);
    await setDelivery({ attempt: 1, state: 'submitting', provider: 'simulator' });
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp']);
    await fixture.passTime(own, 1.01);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
  });

  it('keeps the OTP verifiable until it fails too', async () => {
    const own = await fixture.organisation();
    await anEndpoint(fixture.database, own, { events: ['otp.failed', 'otp.verified'] });
    const [failed, verified] = [await request(own), await request(own)];
    for (const id of [failed, verified]) await fixture.endDelivery(id);
    expect(await read(failed, own)).toMatchObject({ status: 1 });
    expect(await verify(verified, own)).toBe('200');
    for (const id of [failed, verified]) await ended(id, own);
    expect([await channels(failed), await channels(verified)]).toEqual([['whatsapp', 'sms'], ['whatsapp']]);
    await fails(failed, own);
    expect(await read(failed, own)).toMatchObject({ status: 4 });
    expect(await verify(failed, own)).toBe('400 token_undeliverable');
    expect(await fixture.hasToken(failed)).toBe(false);
    await ended(failed, own);
    await worker.fallbacks.sweep();
    const events = await fixture.database.callback.findMany({ where: { organisationId: own } });
    expect(events.map(({ type, resourceId }) => `${type} ${resourceId}`).toSorted()).toEqual(
      [`otp.failed ${failed}`, `otp.verified ${verified}`].toSorted(),
    );
    expect(events.map(({ body }) => JSON.parse(body) as unknown)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ data: expect.objectContaining({ channel: 'sms', status: 'failed' }) }),
        expect.objectContaining({
          data: expect.objectContaining({ channel: 'whatsapp', status: 'verified' }),
        }),
      ]),
    );
  });

  it('reports the OTP as verified or as failed, never as both', async () => {
    const own = await fixture.organisation();
    await anEndpoint(fixture.database, own, { events: ['otp.failed', 'otp.verified'] });
    const ids = await Promise.all(
      Array.from({ length: 10 }, () => fixture.otp(worker, own, { token: 'right1' })),
    );
    await Promise.all(ids.flatMap((id) => [verify(id, own), fails(id, own)]));
    await worker.fallbacks.sweep();
    const events = await fixture.database.callback.findMany({ where: { organisationId: own } });
    expect(events.map(({ resourceId }) => resourceId).toSorted()).toEqual(ids.toSorted());
  });

  it('is skipped if the balance is too low; the OTP fails only if no delivery may still arrive', async () => {
    const price = (await fixture.delivery(await request()))?.kobo ?? 0n;
    const own = await fixture.organisation({}, {}, 2n * price);
    const [failed, late] = [await request(own), await request(own)];
    await fails(failed, own);
    await fixture.passTime(own, 1);
    await worker.fallbacks.sweep();
    expect([await channels(failed), await channels(late)]).toEqual([['whatsapp'], ['whatsapp']]);
    expect([await read(failed, own), await read(late, own)]).toMatchObject([{ status: 4 }, { status: 1 }]);
    expect(await verify(late, own)).toBe('200');
  });

  it('counts towards the limit of sends to a recipient, and obeys it', async () => {
    const own = await fixture.organisation({ otpSendsPerRecipient: 3 });
    const id = await request(own);
    await fails(id, own);
    const next = await request(own);
    await fails(next, own);
    expect(await channels(next)).toEqual(['whatsapp']);
    expect(kindOf(await fixture.request(worker, own))).toBe('429 too_many_attempts');
  });

  it('obeys the settings of its organisation', async () => {
    const own = await fixture.organisation({}, { countries: ['NG'] });
    const id = await request(own);
    await fixture.database.organisation.update({
      where: { id: own },
      data: { settings: { otp: { countries: ['GH'] } } },
    });
    const other = await fixture.worker();
    await fixture.endDelivery(id);
    await ended(id, own, other);
    expect(await channels(id)).toEqual(['whatsapp']);
    expect(await read(id, own)).toMatchObject({ status: 4 });
  });

  it('is skipped without a price on its channel', async () => {
    const own = await fixture.organisation();
    const id = await request(own);
    await fixture.database.organisation.update({ where: { id: own }, data: { mode: 'live' } });
    const other = await fixture.worker({}, true);
    const before = await fixture.available(own);
    await fixture.endDelivery(id);
    await ended(id, own, other);
    expect(await channels(id)).toEqual(['whatsapp']);
    expect(await read(id, own)).toMatchObject({ status: 4 });
    expect(await fixture.available(own)).toBe(before);
  });

  it('keeps its channel while it cannot be prepared, and the OTP does not fail', async () => {
    const own = await fixture.organisation();
    const id = await request(own);
    const disturbed = await fixture.worker({}, false, { failingReads: true });
    await fixture.endDelivery(id);
    await ended(id, own, disturbed);
    await fixture.passTime(own, 1);
    await disturbed.fallbacks.sweep();
    expect([await channels(id), (await read(id, own)).status]).toEqual([['whatsapp'], 1]);
    await fixture.passTime(own, 1);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
  });

  it('waits while no worker can open the token', async () => {
    const own = await fixture.organisation();
    const id = await request(own);
    const { sealedToken } = await fixture.database.otp.findUniqueOrThrow({ where: { id } });
    const store = (token: typeof sealedToken) =>
      fixture.database.otp.update({ where: { id }, data: { sealedToken: token } });
    await store(Buffer.from('sealed with another key'));
    await fails(id, own);
    expect([await channels(id), (await read(id, own)).status]).toEqual([['whatsapp'], 1]);
    await store(sealedToken);
    await fixture.passTime(own, 1);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
  });

  it('waits while its organisation is suspended', async () => {
    const own = await fixture.organisation();
    const id = await request(own);
    const setStatus = (status: 'active' | 'suspended') =>
      fixture.database.organisation.update({ where: { id: own }, data: { status } });
    await setStatus('suspended');
    await fails(id, own);
    expect([await channels(id), (await read(id, own)).status]).toEqual([['whatsapp'], 1]);
    await setStatus('active');
    await fixture.passTime(own, 1);
    await worker.fallbacks.sweep();
    expect(await channels(id)).toEqual(['whatsapp', 'sms']);
  });

  it('is counted by channel and country', async () => {
    const own = await fixture.worker();
    const id = await fixture.otp(own, organisationId, {
      token: 'right1',
      ...whatsapp,
      fallback_channels: ['sms'],
    });
    await fixture.endDelivery(id);
    await ended(id, organisationId, own);
    await fixture.verify(own, organisationId, id, 'right1');
    const metrics = await own.metrics.metrics();
    for (const line of [
      'gangan_otp_requested_total{channel="whatsapp",country="NG"} 1',
      'gangan_otp_sends_total{channel="whatsapp",country="NG"} 1',
      'gangan_otp_sends_total{channel="sms",country="NG"} 1',
      'gangan_otp_verified_total{channel="sms",country="NG"} 1',
    ])
      expect(metrics).toContain(line);
  });
});
