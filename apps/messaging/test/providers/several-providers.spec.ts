import { systemClock } from '@gangan/contracts';
import { isUnanswered, sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { messagePresets } from '@gangan/providers';
import {
  fakeAfricasTalking,
  type FakeMessage,
  type FakeProvider,
  type FakeRefusal,
  type FakeTermii,
  isFullSuite,
  until,
} from '@gangan/testing';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DueRepository } from '../../src/schedule/due.repository.js';
import { ClaimsRepository } from '../../src/submit/claims.repository.js';
import { DeliverySubmitter } from '../../src/submit/delivery-submitter.js';
import { price } from '../support/delivery-fixture.js';
import { LiveFixture } from '../support/live-fixture.js';

const refusesSender = { status: 400, message: 'Sender ID not registered' };
const refusesNumber = { status: 400, message: 'Invalid phone number' };
const unavailable = { status: 503, message: 'Service unavailable' };

describe('a route with two providers', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let first: FakeTermii;
  let second: FakeTermii;
  beforeEach(async () => {
    [first, second] = [await live.serveTermii(), await live.serveTermii()];
  });

  const useRoute = async (unanswered: 'wait' | 'resend' | 'next' = 'wait'): Promise<void> => {
    const ids = [
      await live.add('first', first, { settings: { unanswered } }),
      await live.add('second', second),
    ];
    await live.route(ids);
  };
  const spent = async (): Promise<bigint> => 100_000_000n - (await fixture.available(live.organisationId));
  /** How many deliveries wait for the decision of an operator, by their last provider. */
  const unanswered = async (): Promise<string | undefined> => {
    await live.worker.unanswered.count();
    const metric = await live.worker.registry.getSingleMetricAsString('gangan_delivery_unanswered');
    return /{.*/.exec(metric)?.[0];
  };
  const cancel = (id: string): Promise<unknown> =>
    fixture.database.execute(sql`
      UPDATE message SET canceled_at = now() FROM delivery WHERE message.id = message_id AND delivery.id = ${id}::uuid`);
  const dnd = { code: 'dnd', message: 'The recipient is on the DND list' };
  afterEach(async () => {
    await fixture.database.execute(sql`TRUNCATE delivery, message CASCADE`);
  });

  it('fails a message that both refuse for good, at once, and refunds it', async () => {
    await useRoute();
    first.behaviour = second.behaviour = () => refusesSender;
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'failed', attempt: 2, refunded: true });
    expect([first.requests, second.requests, await spent()]).toEqual([1, 1, 0n]);
  });

  it('names no provider to customers, unless an operator allows that', async () => {
    await useRoute();
    first.behaviour = () => refusesSender;
    second.behaviour = () => refusesNumber;
    const { id: messageId } = await live.worker.accept(live.organisationId, {
      recipients: '+2348031234567',
      content: 'Hello',
      callback: 'https://a.example/cb',
    });
    await live.worker.idle();
    const shown = () =>
      live.worker.messages.find({ id: messageId }, newContext({ organisationId: live.organisationId }));
    const upstream = /first|second|not registered|Invalid phone|127\.0\.0\.1|termii/i;
    const hidden = await shown();
    expect(hidden.deliveries[0]?.attempts).toHaveLength(2);
    expect(JSON.stringify(hidden)).not.toMatch(upstream);
    expect(JSON.stringify(await fixture.callbacks(messageId))).not.toMatch(upstream);
    await fixture.database.execute(sql`
      UPDATE organisation SET settings = '{"sms": {"provider_names": "shown"}}' WHERE id = ${live.organisationId}::uuid`);
    const other = await fixture.worker();
    const context = newContext({ organisationId: live.organisationId });
    const { deliveries } = await other.messages.find({ id: messageId }, context);
    expect(deliveries[0]?.attempts).toMatchObject([{ provider: 'first' }, { provider: 'second' }]);
  });

  it('does not offer a message again to a provider that refuses it for good', async () => {
    await useRoute();
    first.behaviour = () => refusesSender;
    second.behaviour = () => unavailable;
    const [id = ''] = await live.send();
    await live.retry();
    await live.retry();
    second.behaviour = () => 'accept';
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second' });
    expect(first.requests).toBe(1);
  });

  describe('with a message that got no answer', () => {
    let id: string;
    beforeEach(async () => {
      await useRoute();
      first.behaviour = () => 'lost';
      [id = ''] = await live.send({ callback: 'https://a.example/cb' });
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    });
    /** As `pnpm admin messages unanswered` does. */
    const store = (resolution: 'refund' | 'resend' | 'keep'): Promise<unknown> =>
      fixture.database.execute(sql`
        UPDATE delivery SET resolution = ${resolution}, next_attempt_at = ${dueNow} WHERE id = ${id}::uuid`);
    const decide = async (resolution: 'refund' | 'resend' | 'keep'): Promise<void> => {
      await store(resolution);
      await live.worker.sweep();
    };
    const report = (provider: string, state: 'delivered' | 'undelivered'): Promise<unknown> =>
      live.worker.reports.receive(provider, [
        { reference: id, state, ...(state === 'undelivered' && { reason: dnd }) },
      ]);

    it('refunds it if an operator says so, and reports that it failed', async () => {
      await decide('refund');
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', code: 'no_answer', refunded: true });
      const { messageId } = await fixture.database.delivery.findUniqueOrThrow({ where: { id } });
      expect(await fixture.callbacks(messageId ?? '')).toMatchObject([{ type: 'message.failed' }]);
      expect([await spent(), second.requests]).toEqual([0n, 0]);
      await fixture.expectCleanLedger();
    });

    it('gives it to the second one if an operator wants it sent again', async () => {
      await decide('resend');
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second', refunded: false });
      expect([await spent(), first.sent.length, second.sent.length]).toEqual([price, 1, 1]);
    });

    it('counts it until it is settled', async () => {
      expect(await unanswered()).toBe('{provider="first"} 1');
      await decide('keep');
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      expect(await unanswered()).toBeUndefined();
    });

    it('believes a report of the first one after it was sent again, also if the second one refuses it', async () => {
      second.behaviour = () => refusesNumber;
      await decide('resend');
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      expect(await unanswered()).toBe('{provider="second"} 1');
      await report('first', 'delivered');
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
      expect(await fixture.attempts(id)).toEqual([
        { provider: 'first', outcome: 'unknown' },
        { provider: 'second', outcome: 'transient' },
      ]);
      expect(await spent()).toBe(price);
    });

    it('neither sends it again nor refunds it if its recipient has opted out by then', async () => {
      await fixture.database.execute(sql`UPDATE message SET category = 'promotional'`);
      await fixture.database.execute(sql`
        INSERT INTO opt_out (id, organisation_id, channel, phone, source)
        VALUES (${newId()}::uuid, ${live.organisationId}::uuid, 'sms', '+2348031234567', 'api')`);
      await decide('resend');
      await live.retry();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      expect([second.requests, await spent()]).toEqual([0, price]);
    });

    it('neither sends it again nor refunds it if it is canceled by then', async () => {
      await cancel(id);
      await decide('resend');
      await live.retry();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      expect([second.requests, await spent()]).toEqual([0, price]);
    });

    it('does not send it again after its validity period, and lists it', async () => {
      await store('resend');
      await fixture.endValidityOfOpen([id]);
      await live.worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({
        state: 'expired',
        code: 'no_answer',
        refunded: false,
      });
      expect([second.requests, await unanswered()]).toEqual([0, '{provider="first"} 1']);
    });

    it('lists it if its validity period ends before the claim for the second one, which refuses it', async () => {
      second.behaviour = () => refusesSender;
      await fixture.makeDue();
      const due = await live.worker.get(DueRepository).findDue('sms', [live.organisationId], 10);
      const from = {
        organisationId: live.organisationId,
        mode: 'live',
        channel: 'sms',
        sender: 'Acme',
      } as const;
      const provider = live.worker.providers.findUsable('second', from);
      if (!provider) throw new Error('The second provider is missing');
      await fixture.endValidityOfOpen([id]);
      const admission = live.worker.health.admitUp('second');
      await live.worker.get(DeliverySubmitter).submit(provider, admission, due, () => undefined);
      expect(await fixture.stored(id)).toMatchObject({
        state: 'expired',
        code: 'no_answer',
        refunded: false,
      });
      expect([second.requests, await unanswered()]).toEqual([1, '{provider="second"} 1']);
    });

    it('gives it to the first one again if it is the only one', async () => {
      await fixture.database.execute(sql`DELETE FROM route_target WHERE position = 1`);
      await fixture.database.execute(sql`UPDATE delivery SET attempt = 10`);
      await live.refresh();
      first.behaviour = () => 'accept';
      await decide('resend');
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'first', refunded: false });
    });

    it('refunds nothing that is reported as delivered before a worker refunds it', async () => {
      await store('refund');
      await report('first', 'delivered');
      await live.worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
      expect(await spent()).toBe(price);
    });

    it('does not send what is to be refunded, even if a worker found it due before', async () => {
      await fixture.makeDue();
      const due = await live.worker.get(DueRepository).findDue('sms', [live.organisationId], 10);
      expect(due).toMatchObject([{ id, resolution: null }]);
      await store('refund');
      expect(await live.worker.get(ClaimsRepository).claim(due, 'first')).toEqual([]);
      await live.worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    });

    it('is no longer counted if it is reported as delivered after it expired', async () => {
      await fixture.endValidityOfOpen([id]);
      await live.worker.sweep();
      expect(await unanswered()).toBe('{provider="first"} 1');
      await report('first', 'undelivered');
      expect(await unanswered()).toBe('{provider="first"} 1');
      await report('first', 'delivered');
      expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false });
      expect(await unanswered()).toBeUndefined();
    });
  });

  describe('with `unanswered: next`', () => {
    beforeEach(() => useRoute('next'));
    const sendUnanswered = async (): Promise<string> => {
      first.behaviour = () => 'lost';
      const [id = ''] = await live.send();
      return id;
    };

    it('gives a message without an answer to the second one at once', async () => {
      const id = await sendUnanswered();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second', refunded: false });
      expect(await fixture.attempts(id)).toEqual([
        { provider: 'first', outcome: 'unknown' },
        { provider: 'second', outcome: 'accepted' },
      ]);
      expect([first.sent.length, second.sent.length, await spent()]).toEqual([1, 1, price]);
    });

    it('waits as usual while the second one is to be tested after an outage', async () => {
      await fixture.database.execute(sql`
        INSERT INTO provider_health (provider_id, state, test_at)
        SELECT id, 'open', now() FROM provider WHERE name = 'second'`);
      await live.refresh();
      const id = await sendUnanswered();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1, provider: 'first' });
      await live.worker.sweep();
      expect([first.requests, second.requests]).toEqual([1, 0]);
    });

    it('believes the first one if it reports that the message was delivered', async () => {
      const id = await sendUnanswered();
      await live.worker.reports.receive('first', [{ reference: id, state: 'undelivered' }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
      await live.worker.reports.receive('first', [{ reference: id, state: 'delivered' }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
    });

    it('keeps the charge if the second one refuses the message, because the first one may have sent it', async () => {
      second.behaviour = () => refusesNumber;
      const id = await sendUnanswered();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      await live.worker.reports.receive('first', [{ reference: id, state: 'delivered' }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
      expect(await spent()).toBe(price);
    });

    it('keeps the charge if the second one reports that it could not deliver the message', async () => {
      const id = await sendUnanswered();
      await live.worker.reports.receive('second', [{ reference: id, state: 'undelivered', reason: dnd }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: false });
      expect([await spent(), await unanswered()]).toEqual([price, '{provider="second"} 1']);
      await live.worker.reports.receive('first', [{ reference: id, state: 'delivered' }]);
      expect([await spent(), await unanswered()]).toEqual([price, undefined]);
    });

    it('does not count a message that could not be delivered for a reason that is never refunded', async () => {
      const id = await sendUnanswered();
      const reason = { code: 'unreachable', message: 'The phone was off' };
      await live.worker.reports.receive('second', [{ reference: id, state: 'undelivered', reason }]);
      expect(await unanswered()).toBeUndefined();
    });

    it('applies a report of the first one after the call of the second one has ended', async () => {
      first.behaviour = () => 'lost';
      second.behaviour = () => 'hang';
      const sending = live.send();
      await until('the second one is called', () => second.requests === 1);
      const { id } = await fixture.database.delivery.findFirstOrThrow();
      const reports = [{ reference: id, state: 'delivered' }] as const;
      const { early } = await live.worker.reports.receive('first', reports);
      expect([...early]).toEqual(reports);
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting' });
      await second.stop();
      await sending;
      await live.worker.reports.receive('first', reports);
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', provider: 'second' });
      expect(await fixture.attempts(id)).toEqual([
        { provider: 'first', outcome: 'unknown' },
        { provider: 'second', outcome: 'unknown' },
      ]);
    });

    it('does not refund a canceled message that the first one may have sent', async () => {
      second.behaviour = () => unavailable;
      const id = await sendUnanswered();
      await cancel(id);
      await live.retry();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      expect(await spent()).toBe(price);
    });
  });

  describe('and a third one, with a message that got no answer from the first', () => {
    let third: FakeTermii;
    beforeEach(async () => {
      third = await live.serveTermii();
      first.behaviour = () => 'lost';
    });
    const sendFirst = async (unanswered: 'wait' | 'next'): Promise<string> => {
      await live.route([
        await live.add('first', first, { settings: { unanswered } }),
        await live.add('second', second),
        await live.add('third', third),
      ]);
      const [id = ''] = await live.send();
      return id;
    };
    const sendAgain = async (id: string): Promise<void> => {
      await fixture.database.execute(sql`
        UPDATE delivery SET resolution = 'resend', next_attempt_at = ${dueNow} WHERE id = ${id}::uuid`);
      await live.worker.sweep();
    };
    const requests = (): number[] => [first, second, third].map((server) => server.requests);

    it.each([
      ['is not available', unavailable],
      ['refuses the sender', refusesSender],
    ])('gives it to the third one if the second one %s', async (_, refusal) => {
      second.behaviour = () => refusal;
      const id = await sendFirst('next');
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'third', refunded: false });
      expect([requests(), await spent()]).toEqual([[1, 1, 1], price]);
      await live.worker.reports.receive('first', [{ reference: id, state: 'delivered' }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
    });

    it('gives it to the third one if an operator wants it sent again, and the second one refuses it', async () => {
      second.behaviour = () => refusesSender;
      const id = await sendFirst('wait');
      await sendAgain(id);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'third', refunded: false });
      expect(requests()).toEqual([1, 1, 1]);
    });

    it('gives it back to the second one if that is the only one that may take it later', async () => {
      [second, third].forEach((server) => (server.behaviour = () => unavailable));
      const id = await sendFirst('next');
      await fixture.database.execute(sql`UPDATE provider SET enabled = false WHERE name = 'third'`);
      await live.refresh();
      second.behaviour = () => 'accept';
      await live.retry();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second' });
      expect(requests()).toEqual([1, 2, 1]);
    });

    it('does not give it to the third one if the second one may have it, too', async () => {
      second.behaviour = () => 'lost';
      const id = await sendFirst('next');
      await live.retry();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', provider: 'second' });
      expect(requests()).toEqual([1, 1, 0]);
    });

    it('keeps the charge and lists it if no other one takes it', async () => {
      [second, third].forEach((server) => (server.behaviour = () => refusesSender));
      const id = await sendFirst('next');
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', refunded: false });
      await live.retry();
      expect(requests()).toEqual([1, 1, 1]);
      await fixture.endValidityOfOpen([id]);
      await live.worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'expired', code: 'no_answer' });
      expect([await spent(), await unanswered()]).toEqual([price, '{provider="third"} 1']);
    });
  });

  describe('with a message that the first one refuses at night', () => {
    const setClock = (time: string): void => {
      jest.spyOn(systemClock, 'now').mockReturnValue(new Date(`${time}+01:00`));
    };
    let night: FakeProvider<FakeMessage, FakeRefusal>;
    beforeEach(async () => {
      setClock('2026-11-17T22:00:00');
      night = await live.serve((key) => fakeAfricasTalking(key, 'acme'));
      // A promotional sender.
      night.behaviour = () => ({ code: '409' });
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });

    const useNight = async (hasSecond: boolean): Promise<void> => {
      const { request = { url: '' } } = messagePresets['africastalking']?.settings ?? {};
      const settings = {
        request: { ...request, url: night.url, form: { ...request.form, username: 'acme' } },
      };
      const id = await live.add('night', night, { preset: 'africastalking', settings });
      await live.route([id, ...(hasSecond ? [await live.add('second', second)] : [])]);
    };
    /** In minutes: until its next attempt, and how much of its validity period has passed then. */
    const waits = async (id: string) => {
      const [row] = await fixture.database.query<{ wait: number; age: number }>(sql`
        SELECT round(extract(epoch FROM next_attempt_at - now()) / 60)::int AS wait,
          round(extract(epoch FROM next_attempt_at - coalesce(send_at, created_at)) / 60)::int AS age
        FROM delivery WHERE id = ${id}::uuid`);
      return row;
    };
    const untilMorning = { wait: 601, age: 0 };
    const waiting = { state: 'queued', code: 'quiet_hours', refunded: false };
    const begin = async (): Promise<void> => {
      setClock('2026-11-18T08:01:00');
      night.behaviour = () => 'accept';
      await fixture.database.execute(sql`
        UPDATE delivery SET next_attempt_at = ${dueNow}, quiet_until = now() WHERE state IN ('queued', 'submitting')`);
      await live.worker.sweep();
    };

    it('sends it in the morning, and does not ask before', async () => {
      await useNight(false);
      const [id = ''] = await live.send();
      expect(await fixture.stored(id)).toMatchObject({ ...waiting, attempt: 1 });
      expect(await waits(id)).toEqual(untilMorning);
      await live.worker.sweep();
      expect(night.requests).toBe(1);
      await begin();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'night', attempt: 2 });
      expect(await spent()).toBe(price);
    });

    it('takes 409 for the DND list in the day', async () => {
      await useNight(false);
      setClock('2026-11-17T12:00:00');
      const [id = ''] = await live.send();
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', code: 'dnd', refunded: true });
    });

    it('gives it to the second one at once', async () => {
      await useNight(true);
      const [id = ''] = await live.send();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second' });
      expect([night.requests, second.requests]).toEqual([1, 1]);
    });

    it('does not show that it waits for the morning while the second one may have it', async () => {
      await useNight(true);
      second.behaviour = () => 'lost';
      const { id } = await live.worker.accept(live.organisationId, {
        recipients: '+2348031234567',
        content: 'Hello',
      });
      await live.worker.idle();
      const context = newContext({ organisationId: live.organisationId });
      const { deliveries } = await live.worker.messages.find({ id }, context);
      expect(deliveries).toMatchObject([{ status: 'queued', attempts: [{}, { outcome: 'unknown' }] }]);
      expect(deliveries[0]).not.toHaveProperty('waits_until');
    });

    it('sends it in the morning if it got no answer before, and an operator sends it again at night', async () => {
      await useNight(false);
      night.behaviour = () => 'lost';
      const [id = ''] = await live.send();
      night.behaviour = () => ({ code: '409' });
      await fixture.database.execute(
        sql`UPDATE delivery SET resolution = 'resend', next_attempt_at = ${dueNow}`,
      );
      await live.worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 2, refunded: false });
      expect(await waits(id)).toEqual(untilMorning);
      await begin();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 3 });
      expect(await spent()).toBe(price);
    });

    it('tries the second one as often as usual, and then waits for the morning', async () => {
      await useNight(true);
      second.behaviour = () => ({ status: 400, message: 'You have reached the daily limit' });
      const [id = ''] = await live.send();
      for (let attempt = 2; attempt < 7; attempt += 1) {
        expect(await fixture.stored(id)).toMatchObject({ state: 'queued', attempt, provider: 'second' });
        expect((await waits(id))?.wait).toBeLessThan(10);
        await live.retry();
      }
      expect(await waits(id)).toEqual(untilMorning);
      const tried = (await fixture.attempts(id)).map(({ provider }) => provider);
      expect(tried).toEqual(['night', ...Array<string>(6).fill('second')]);
      await begin();
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'night' });
    });

    it('waits for the morning if the second one is down, or refuses the sender', async () => {
      await useNight(true);
      second.behaviour = () => refusesSender;
      const [refused = ''] = await live.send();
      expect(await waits(refused)).toEqual(untilMorning);
      second.behaviour = () => unavailable;
      const down: string[] = [];
      for (let failures = 0; failures < 6; failures += 1) down.push(...(await live.send()));
      await live.retry();
      for (const id of down) {
        expect(await fixture.stored(id)).toMatchObject({ state: 'queued', refunded: false });
        expect(await waits(id)).toEqual(untilMorning);
      }
      expect(night.requests).toBe(7);
    });

    it('ends an OTP, which has expired by the morning', async () => {
      await useNight(false);
      const otp = await fixture.acceptOtp(live.organisationId, 'Your code is 1234');
      await live.due([otp], 'otp');
      expect(await fixture.stored(otp)).toMatchObject({
        state: 'failed',
        code: 'quiet_hours',
        refunded: true,
      });
    });
  });

  const many = isFullSuite ? 500 : 110;

  /** Sends many messages, with retries. @param ended whether their validity period is over @returns what became of them */
  const sendMany = async (ended = false) => {
    const numbers = Array.from({ length: many }, (_, index) => `+23480312${String(index).padStart(5, '0')}`);
    const sends: Promise<string[]>[] = [];
    for (let from = 0; from < many; from += 100)
      sends.push(live.send({ recipients: numbers.slice(from, from + 100).join(',') }));
    const ids = (await Promise.all(sends)).flat();
    for (let round = 0; round < 3; round += 1) {
      await fixture.database.execute(
        sql`UPDATE delivery SET next_attempt_at = ${dueNow} WHERE state = 'queued'`,
      );
      await live.worker.sweep();
    }
    if (ended) {
      await fixture.endValidityOfOpen(ids);
      await live.worker.sweep();
    }
    const [counts] = await fixture.database.query<Record<'sent' | 'refunded' | 'listed', number>>(sql`
      SELECT count(*) FILTER (WHERE state = 'sent')::int AS sent, count(*) FILTER (WHERE refunded)::int AS refunded,
        count(*) FILTER (WHERE ${isUnanswered})::int AS listed FROM delivery WHERE id = ANY (${ids}::uuid[])`);
    const { sent = 0, refunded = 0, listed = 0 } = counts ?? {};
    expect(sent + refunded + listed).toBe(many);
    expect(await spent()).toBe(price * BigInt(many - refunded));
    await fixture.expectCleanLedger();
    return { refunded, listed };
  };

  it.each<[string, 'wait' | 'next', (handled: number) => 'accept' | 'lost' | 'stop' | typeof refusesSender]>([
    ['answers 503', 'wait', () => unavailable],
    ['is killed', 'wait', (handled) => (handled < many / 5 ? 'accept' : 'stop')],
    ['is killed', 'next', (handled) => (handled < many / 5 ? 'accept' : 'stop')],
    ['loses answers', 'next', (handled) => (handled % 7 === 0 ? 'lost' : 'accept')],
    ['refuses the sender', 'wait', () => refusesSender],
  ])(`loses none of ${many} messages if the first one %s (%s)`, async (_, unanswered, behave) => {
    await useRoute(unanswered);
    let handled = 0;
    first.behaviour = () => {
      handled += 1;
      const behaviour = behave(handled);
      if (behaviour !== 'stop') return behaviour;
      setImmediate(() => void first.stop());
      return 'accept';
    };
    const { refunded, listed } = await sendMany();
    expect(refunded).toBe(0);
    if (unanswered === 'next') expect(listed).toBe(0);
    // No more than were in flight when the first provider died.
    expect(listed).toBeLessThanOrEqual(unanswered === 'wait' && handled >= many / 5 ? 50 : 0);
    expect(second.sent.length).toBeGreaterThan(many / 8);
    const [byFirst, bySecond] = [first, second].map(({ sent }) => new Set(sent.map(({ to }) => to)));
    expect([byFirst?.size, bySecond?.size]).toEqual([first.sent.length, second.sent.length]);
    if (unanswered === 'wait') expect(second.sent.filter(({ to }) => byFirst?.has(to))).toEqual([]);
  });

  it(`sends, refunds or lists each of ${many} messages if the second one fails, too`, async () => {
    await useRoute();
    first.behaviour = () => unavailable;
    let handled = 0;
    const behaviours = ['accept', 'lost', refusesNumber] as const;
    second.behaviour = () => behaviours[(handled += 1) % 3] ?? 'accept';
    const { refunded, listed } = await sendMany(true);
    const third = Math.ceil(many / 3);
    expect([refunded, listed]).toEqual([third, third]);
  });
});
