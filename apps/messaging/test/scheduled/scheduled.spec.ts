import { formatTimestamp, type SendSmsRequest } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const funds = 100_000_000n;
const [ada, obi] = ['+2348031234567', '+2348031234568'];
const hour = 3_600_000;

describe('scheduled messages', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  beforeEach(async () => {
    organisationId = await fixture.organisation(funds);
    provider = new ScriptedProvider();
    worker = await fixture.worker({ named: [provider] });
  });
  afterEach(async () => {
    await worker.idle();
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
  });

  const inHours = (hours: number): string => formatTimestamp(new Date(Date.now() + hours * hour));
  const context = () => newContext({ organisationId });
  const send = (fields: Partial<SendSmsRequest>, by = context()) =>
    worker.messages.send({ recipients: ada, content: 'Hello', ...fields }, by);
  const statuses = async (id: string): Promise<(readonly [string, string | undefined])[]> => {
    const { deliveries } = await worker.messages.find({ id }, context());
    return deliveries.map(({ status, error }) => [status, error?.code]);
  };
  /** As if so many hours had passed. */
  const pass = async (id: string, hours: number): Promise<void> => {
    const past = sql`- ${hours}::float8 * interval '1 hour'`;
    await fixture.database.execute(sql`
      UPDATE message SET send_at = send_at ${past}, created_at = created_at ${past} WHERE id = ${id}`);
    await fixture.database.execute(sql`
      UPDATE delivery SET send_at = send_at ${past}, created_at = created_at ${past},
        next_attempt_at = next_attempt_at ${past} WHERE message_id = ${id}`);
  };

  it('are charged at once, and sent at their time, not before', async () => {
    const send_at = inHours(2);
    const by = context();
    const sent = await send({ send_at, recipients: `${ada}, ${obi}` }, by);
    expect(sent).toMatchObject({ send_at, meta: { estimate: { charge: 8 } } });
    expect(await send({ send_at, recipients: `${ada}, ${obi}` }, by)).toEqual(sent);
    expect(await fixture.available(organisationId)).toBe(funds - 2n * price);
    expect(worker.announced).toEqual([]);
    const { deliveries, ...details } = await worker.messages.find({ id: sent.id }, context());
    expect(details).toMatchObject({ send_at });
    expect((await worker.messages.list({}, context())).messages).toMatchObject([{ send_at }]);
    await pass(sent.id, 1.999);
    await worker.due(
      organisationId,
      deliveries.map(({ id }) => id),
    );
    worker.service.wake({ trafficClass: 'sms', organisationId });
    await worker.sweep();
    expect(provider.submitted).toEqual([]);
    await pass(sent.id, 0.001);
    await worker.sweep();
    expect(provider.submitted.map(({ recipient }) => recipient).toSorted()).toEqual([ada, obi]);
    expect(await statuses(sent.id)).toEqual([
      ['sent', undefined],
      ['sent', undefined],
    ]);
  });

  it('are sent at once if their time has just passed', async () => {
    const send_at = inHours(-4 / 60);
    const { id, ...answer } = await send({ send_at });
    expect(answer.send_at).toBe(send_at);
    await worker.idle();
    expect(await statuses(id)).toEqual([['sent', undefined]]);
  });

  it.each([
    [-6 / 60, 'more than 5 minutes ago'],
    [90 * 24 + 0.1, 'more than 90 days ahead'],
  ])('are rejected and not charged %d hours ahead', async (hours, message) => {
    const refused = {
      status: 400,
      fields: [{ field: 'send_at', message: expect.stringContaining(message) }],
    };
    await expect(send({ send_at: inHours(hours) })).rejects.toMatchObject(refused);
    await expect(send({ send_at: inHours(hours), template_id: 'x' })).rejects.toMatchObject(refused);
    expect(await fixture.available(organisationId)).toBe(funds);
  });

  it('are valid from their time on', async () => {
    const { id } = await send({ send_at: inHours(48) });
    await pass(id, 48);
    const due = new DueRepository(fixture.database, { namesOperators: false });
    const [found] = await due.findDue('sms', [organisationId], 10);
    expect(found?.ageMs).toBeLessThan(60_000);
    expect(found?.ageMs).toBeGreaterThanOrEqual(0);
  });

  it('of a suspended organisation end when the validity period after their time is over', async () => {
    const { id } = await send({ send_at: inHours(48) });
    const setStatus = (status: 'active' | 'suspended') =>
      fixture.database.organisation.update({ where: { id: organisationId }, data: { status } });
    await setStatus('suspended');
    await pass(id, 48 + 23.9);
    await worker.held.endLapsed();
    expect(await statuses(id)).toEqual([['queued', undefined]]);
    await pass(id, 0.2);
    await worker.held.endLapsed();
    expect(await statuses(id)).toEqual([['failed', 'suspended']]);
    expect(await fixture.available(organisationId)).toBe(funds);
    await setStatus('active');
  });

  it('compare opt-outs when they are sent', async () => {
    const { id } = await send({ send_at: inHours(1), category: 'promotional' });
    await fixture.database.optOut.create({
      data: { id, organisationId, channel: 'sms', phone: ada, source: 'api' },
    });
    await pass(id, 1);
    await worker.sweep();
    expect(await statuses(id)).toEqual([['rejected', 'opted_out']]);
    expect(await fixture.available(organisationId)).toBe(funds);
  });

  describe('on WhatsApp', () => {
    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * hour);
    beforeEach(async () => {
      const times = { firstReceivedAt: hoursAgo(100), lastReceivedAt: hoursAgo(0) };
      await fixture.database.whatsAppReceiver.create({
        data: { organisationId, provider: provider.name, ...times },
      });
    });
    const wrote = (phone: string) =>
      fixture.database.whatsAppWindow.create({
        data: { organisationId, provider: provider.name, phone, receivedAt: hoursAgo(1) },
      });

    it('need an open window when they are sent, not when they are accepted', async () => {
      await wrote(ada);
      const message = await send({ send_at: inHours(2), channel: 'whatsapp', recipients: `${ada}, ${obi}` });
      await fixture.database.whatsAppWindow.deleteMany({ where: { organisationId } });
      await wrote(obi);
      await pass(message.id, 2);
      await worker.sweep();
      expect(await statuses(message.id)).toEqual([
        ['rejected', 'window_closed'],
        ['sent', undefined],
      ]);
      expect(provider.submitted.map(({ recipient }) => recipient)).toEqual([obi]);
      const charged = BigInt(message.meta.estimate.charge * 100);
      expect(await fixture.available(organisationId)).toBe(funds - charged / 2n);
    });

    it('need no open window with a template', async () => {
      const { id } = await send({ send_at: inHours(2), channel: 'whatsapp', template_id: 'welcome' });
      await pass(id, 2);
      await worker.sweep();
      expect(await statuses(id)).toEqual([['sent', undefined]]);
    });
  });
});
