import { formatTimestamp, type SendSmsRequest, systemClock } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newContext } from '@gangan/protocol';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { QuietHoursHold } from '../../src/schedule/quiet-hours.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const [ada, obi] = ['+2348031234567', '+2348031234568'];
const hour = 3_600_000;

/** From an hour ago, for an hour; or later. */
const hoursAround = (fromHours = -1, toHours = 1): string => {
  const time = (hours: number): string => new Date(Date.now() + hours * hour).toISOString().slice(11, 16);
  return `${time(fromHours)}-${time(toHours)} UTC`;
};

describe('quiet hours', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  beforeEach(async () => {
    organisationId = await fixture.organisation();
    provider = new ScriptedProvider();
    worker = await fixture.worker({ named: [provider] });
  });
  afterEach(async () => {
    await worker.idle();
    await fixture.expectCleanLedger();
    expect(fixture.output.warnings.splice(0)).toEqual([]);
  });

  const setQuiet = async (quietHours: string | undefined): Promise<void> => {
    await changeSettings(quietHours === undefined ? {} : { quiet_hours: quietHours });
  };
  const changeSettings = async (sms: Readonly<Record<string, string>>): Promise<void> => {
    const settings = { sms };
    await fixture.database.organisation.update({ where: { id: organisationId }, data: { settings } });
    // Without the cached rules.
    worker = await fixture.worker({ named: [provider] });
  };
  const accept = (fields: Partial<SendSmsRequest> = {}) =>
    worker.accept(organisationId, {
      ...{ recipients: ada, content: 'Hello', category: 'promotional', ...fields },
    });
  /** When it is due, and how much of its validity period has passed then. */
  const times = async (id: string) => {
    const [row] = await fixture.database.query<{ state: string; due: Date; ageMs: number }>(sql`
      SELECT state, next_attempt_at AS due,
        extract(epoch FROM next_attempt_at - coalesce(send_at, created_at))::float8 * 1000 AS "ageMs"
      FROM delivery WHERE message_id = ${id}`);
    return row;
  };
  /** As if so many hours had passed for the deliveries. */
  const pass = (hours: number) =>
    fixture.database.execute(sql`
      UPDATE delivery SET next_attempt_at = next_attempt_at - ${hours}::float8 * interval '1 hour',
        send_at = send_at - ${hours}::float8 * interval '1 hour',
        created_at = created_at - ${hours}::float8 * interval '1 hour'
      WHERE organisation_id = ${organisationId} AND state IN ('queued', 'submitting')`);
  const recipients = () => provider.submitted.map(({ recipient }) => recipient);

  it('hold promotional messages until they end, and the validity period starts then', async () => {
    await setQuiet(hoursAround());
    const { id, deliveries } = await accept();
    await worker.due(organisationId, deliveries);
    await worker.sweep();
    expect(recipients()).toEqual([]);
    const held = await times(id);
    expect(held?.state).toBe('queued');
    expect(held?.ageMs).toBeLessThan(hour / 2);
    const waitMs = (held?.due.getTime() ?? 0) - Date.now();
    expect(waitMs).toBeGreaterThan(hour - 120_000);
    expect(waitMs).toBeLessThan(hour + 120_000);
    // A second event of the same deliveries changes nothing.
    await worker.due(organisationId, deliveries);
    expect(await times(id)).toEqual(held);
    await setQuiet(hoursAround(-3, -1));
    await pass(1.1);
    await worker.sweep();
    expect(recipients()).toEqual([ada]);
    expect(await times(id)).toMatchObject({ state: 'sent' });
  });

  it('hold only promotional messages, and only those of the organisation', async () => {
    await setQuiet(hoursAround());
    await accept({ category: 'transactional', recipients: obi });
    const otp = await fixture.acceptOtp(organisationId, 'Your code is 1234');
    await worker.due(organisationId, [otp], 'otp');
    const other = await fixture.organisation();
    const message = await worker.accept(other, {
      recipients: obi,
      content: 'Hello',
      category: 'promotional',
    });
    await worker.due(other, message.deliveries);
    await worker.idle();
    expect(recipients().toSorted()).toEqual([ada, obi, obi]);
  });

  it('hold scheduled messages and retries too', async () => {
    const send_at = formatTimestamp(new Date(Date.now() + hour));
    const scheduled = await accept({ send_at });
    provider.onSubmit = () => ({ kind: 'transient', reason: { code: 'busy', message: 'Busy' } });
    const retried = await accept({ recipients: obi });
    await worker.due(organisationId, retried.deliveries);
    expect(await times(retried.id)).toMatchObject({ state: 'queued' });
    const before = provider.submitted.length;
    await setQuiet(hoursAround());
    await pass(1.01);
    await worker.sweep();
    expect(provider.submitted).toHaveLength(before);
    for (const { id } of [scheduled, retried]) {
      const held = await times(id);
      expect(held?.state).toBe('queued');
      expect(held?.due.getTime()).toBeGreaterThan(Date.now());
    }
  });

  it('that begin while a message waits for its provider hold it', async () => {
    await setQuiet(hoursAround());
    const find = jest.spyOn(QuietHoursHold.prototype, 'find').mockResolvedValueOnce(new Map());
    const { id, deliveries } = await accept();
    await worker.due(organisationId, deliveries);
    expect(find).toHaveBeenCalledTimes(3);
    find.mockRestore();
    expect(recipients()).toEqual([]);
    const held = await times(id);
    expect(held?.state).toBe('queued');
    expect(held?.due.getTime()).toBeGreaterThan(Date.now());
  });

  it('do not restart the validity period of a message that is refused every day', async () => {
    const balance = await fixture.available(organisationId);
    provider.onSubmit = () => ({
      ...{ kind: 'transient', cause: 'throttled', reason: { code: 'busy', message: 'Busy' } },
    });
    const { id, deliveries } = await accept();
    await worker.due(organisationId, deliveries);
    for (const state of ['queued', 'queued', 'failed']) {
      const before = provider.submitted.length;
      await setQuiet(hoursAround());
      await pass(4);
      await worker.sweep();
      expect(provider.submitted).toHaveLength(before);
      await setQuiet(undefined);
      await pass(6);
      await worker.sweep();
      expect(provider.submitted).toHaveLength(before + 1);
      expect(await times(id)).toMatchObject({ state });
    }
    expect(await fixture.available(organisationId)).toBe(balance);
  });

  it('keep the start of an attempt whose worker died', async () => {
    await setQuiet(hoursAround());
    const { id, deliveries } = await accept();
    await pass(2);
    const [begun] = await fixture.database.query<{ at: Date }>(sql`
      UPDATE delivery SET state = 'submitting', attempt = 1, provider = 'scripted', next_attempt_at = now() - interval '1 second'
      WHERE message_id = ${id} RETURNING next_attempt_at - interval '40 seconds' AS at`);
    await worker.sweep();
    expect(await times(id)).toMatchObject({ state: 'submitting' });
    await setQuiet(undefined);
    await pass(1.1);
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual(['sent']);
    const attempts = await fixture.database.deliveryAttempt.findMany({
      where: { deliveryId: { in: deliveries } },
      orderBy: { attempt: 'asc' },
    });
    expect(attempts).toMatchObject([{ startedAt: begun?.at, outcome: null }, { outcome: 'accepted' }]);
  });

  it('hold messages only briefly in a worker whose clock is behind', async () => {
    const { id } = await accept();
    const before = await times(id);
    await pass(1);
    const [start] = await fixture.database.query<{ at: Date }>(sql`SELECT now() AS at`);
    jest
      .spyOn(QuietHoursHold.prototype, 'find')
      .mockImplementation((due) =>
        Promise.resolve(new Map(due.map((each) => [each, new Date(Date.now() - hour)]))),
      );
    await worker.sweep();
    jest.restoreAllMocks();
    const held = await times(id);
    expect(held?.due.getTime()).toBeGreaterThanOrEqual((start?.at.getTime() ?? Infinity) + 5_000);
    expect(held?.ageMs).toBeGreaterThanOrEqual(before?.ageMs ?? Infinity);
    expect(recipients()).toEqual([]);
  });

  it('with a large backlog of one organisation do not delay others', async () => {
    await setQuiet(hoursAround());
    const many = Array.from({ length: 300 }, (_, index) => `+234803${1_000_000 + index}`);
    await accept({ recipients: many.join(',') });
    const other = await fixture.organisation();
    const message = await worker.accept(other, {
      recipients: obi,
      content: 'Hello',
      category: 'promotional',
    });
    for (const id of [organisationId, other])
      worker.service.wake({ trafficClass: 'sms', organisationId: id });
    await worker.idle();
    expect(recipients()).toEqual([obi]);
    expect(await fixture.states(message.deliveries)).toEqual(['sent']);
    const [row] = await fixture.database.query<{ due: number }>(sql`
      SELECT count(*)::int AS due FROM delivery WHERE organisation_id = ${organisationId} AND next_attempt_at <= now() + interval '10 seconds'`);
    expect(row?.due).toBe(0);
    // When they end, the organisations take turns.
    await setQuiet(undefined);
    await pass(2);
    const late = '+2348039999999';
    await worker.accept(other, { recipients: late, content: 'Hello', category: 'promotional' });
    await worker.service.sweep();
    worker.service.wake({ trafficClass: 'sms', organisationId: other });
    await worker.idle();
    const own = recipients().filter((recipient) => many.includes(recipient) || recipient === late);
    expect(own).toHaveLength(301);
    expect(own.indexOf(late)).toBeLessThan(250);
  });

  describe('of Nigeria', () => {
    // Sweeps also find what other tests left.
    const phone = '+2348031234599';
    const sent = () => recipients().filter((recipient) => recipient === phone);
    const setClock = (time: Date): void => {
      jest.spyOn(systemClock, 'now').mockReturnValue(time);
    };
    /** The next time at which the clocks in Lagos show this. */
    const next = (hours: string, after = new Date()): Date => {
      const today = new Date(`${new Date().toISOString().slice(0, 10)}T${hours}+01:00`).getTime();
      const days = Math.ceil((after.getTime() - today) / (24 * hour));
      return new Date(today + Math.max(0, days) * 24 * hour);
    };
    let night: Date;
    beforeEach(async () => {
      organisationId = await fixture.organisation(100_000_000n, 'live');
      night = next('22:00');
      setClock(night);
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const shown = async (id: string) => {
      const { deliveries } = await worker.messages.find({ id }, newContext({ organisationId }));
      return deliveries[0];
    };
    const send = async (fields: Partial<SendSmsRequest> = {}): Promise<string> => {
      const { id, deliveries } = await accept({ recipients: phone, ...fields });
      await worker.due(organisationId, deliveries);
      await worker.idle();
      return id;
    };

    it('hold promotional SMS until 08:00, and say why and until when', async () => {
      const id = await send();
      const morning = next('08:00', night);
      expect(await times(id)).toMatchObject({ state: 'queued', due: morning });
      expect((await times(id))?.ageMs).toBeLessThan(hour / 2);
      expect(await shown(id)).toMatchObject({
        status: 'queued',
        reason: { code: 'quiet_hours' },
        waits_until: formatTimestamp(morning),
      });
      await worker.sweep();
      expect(sent()).toEqual([]);
      setClock(morning);
      await fixture.database.execute(sql`
        UPDATE delivery SET next_attempt_at = ${dueNow} WHERE organisation_id = ${organisationId} AND state = 'queued'`);
      await worker.sweep();
      expect(sent()).toEqual([phone]);
      expect(await shown(id)).not.toHaveProperty('reason');
      expect(await shown(id)).not.toHaveProperty('waits_until');
    });

    it('hold nothing in the day', async () => {
      setClock(next('19:59'));
      await send();
      expect(sent()).toEqual([phone]);
    });

    it.each<[string, Partial<SendSmsRequest>]>([
      ['transactional SMS', { category: 'transactional' }],
      ['promotional WhatsApp messages', { channel: 'whatsapp' }],
      ['promotional SMS to other countries', { recipients: '+447400123456' }],
    ])('do not hold %s', async (_, fields) => {
      const id = await send(fields);
      expect(await times(id)).toMatchObject({ state: 'sent' });
    });

    it('do not hold OTPs, nor messages of test organisations', async () => {
      await worker.due(organisationId, [await fixture.acceptOtp(organisationId, 'Your code is 1234')], 'otp');
      organisationId = await fixture.organisation();
      expect(await times(await send())).toMatchObject({ state: 'sent' });
      expect(recipients()).toEqual([ada, phone]);
    });

    it('do not hold messages of an organisation that ignores them, but its own hours do', async () => {
      await changeSettings({ national_quiet_hours: 'ignored' });
      expect(await times(await send())).toMatchObject({ state: 'sent' });
      const own = { quiet_hours: '21:00-23:00 Africa/Lagos' };
      await changeSettings({ national_quiet_hours: 'ignored', ...own });
      expect(await times(await send())).toMatchObject({ state: 'queued', due: next('23:00', night) });
      await changeSettings(own);
      expect(await times(await send())).toMatchObject({ due: next('08:00', night) });
      await changeSettings({ quiet_hours: '08:00-10:00 Africa/Lagos' });
      expect(await times(await send())).toMatchObject({ due: next('10:00', night) });
    });
  });
});
