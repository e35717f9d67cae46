import { systemClock } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { dueNow } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { findForgery, messagePresets } from '@gangan/providers';
import {
  fakeInfobip,
  type FakeMessage,
  type FakeProvider,
  type FakeRefusal,
  fakeTwilio,
} from '@gangan/testing';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { InboundRepository } from '../../src/inbound/inbound.repository.js';
import { InboundService } from '../../src/inbound/inbound.service.js';
import { StatePoller } from '../../src/reports/state-poller.js';
import { apiKey, LiveFixture } from '../support/live-fixture.js';
import { requestContents } from '../support/messaging-module.js';

type Server = FakeProvider<FakeMessage, FakeRefusal>;

const live = LiveFixture.use();
const { fixture } = live;

/** With the preset for Infobip, which has batches and can be asked. */
describe('an HTTP provider', () => {
  let server: Server;
  beforeEach(async () => {
    server = await live.serve(fakeInfobip);
    await live.route([await live.add('infobip', server, { preset: 'infobip' })]);
  });

  it('gets the messages of a batch in few requests, and answers for each', async () => {
    const recipients = Array.from(
      { length: 150 },
      (_, index) => `+23480312${String(index).padStart(5, '0')}`,
    );
    server.behaviour = ({ to }) => (to.endsWith('7') ? { code: 'REJECTED_DND' } : 'accept');
    const states = await fixture.states(await live.send({ recipients: recipients.join(',') }));
    expect(states.map((state) => state === 'failed')).toEqual(recipients.map((to) => to.endsWith('7')));
    expect(new Set(server.sent.map(({ to }) => to)).size).toBe(135);
    expect(server.sent).toHaveLength(135);
    expect(server.requests).toBeLessThan(20);
  });

  it('is asked after a lost answer, and gets no message twice', async () => {
    server.behaviour = () => 'lost';
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent).toHaveLength(1);
  });

  it('gets a message again that it never accepted', async () => {
    server.behaviour = () => 'garbage';
    const [id = ''] = await live.send();
    server.behaviour = () => 'accept';
    await live.retry();
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    expect(server.sent.map(({ reference }) => reference)).toEqual([id]);
  });
});

/** With the preset for Twilio, which cannot be asked. */
describe('an HTTP provider that gets an address for reports with each message', () => {
  const secrets = { account_sid: 'AC0123456789abcdef0123456789abcdef', auth_token: apiKey };
  const add = async (name: string, server: Server, settings: object = {}) =>
    live.add(name, server, { preset: 'twilio', secrets, settings });
  let server: Server;
  beforeEach(async () => {
    // The references of each server begin anew.
    await fixture.database.execute(sql`TRUNCATE provider_reference, delivery_poll, parked_report`);
    await fixture.database.execute(sql`UPDATE delivery SET provider_reference = NULL`);
    server = await live.serve((key) => fakeTwilio(secrets.account_sid, key));
    await live.route([await add('twilio', server)]);
  });

  /** As a worker stores it, once it has verified it. */
  const receive = async (message: FakeMessage | undefined, status: string, change: object = {}) => {
    const { url, headers, body } = server.reportAbout(message ?? { to: '', from: '', text: '' }, status);
    const [, provider = '', reference = ''] =
      /^https:\/\/sms\.example\/in\/([a-z]+)\/[\w-]{43}\/([0-9a-f-]{36})$/.exec(url) ?? [];
    const settings = messagePresets['twilio']?.settings.inbound ?? {};
    expect(
      findForgery(settings, secrets, { method: 'POST', url, headers, body: Buffer.from(body) }),
    ).toBeUndefined();
    const request = { id: newId(), provider, reference, ...change };
    const { id } = request;
    const sealed = requestContents.seal({ query: '', body, reference: request.reference }, id);
    await fixture.database.execute(sql`
      INSERT INTO inbound_request (id, provider, digest, method, content_type, sealed_content, next_attempt_at)
      VALUES (${id}::uuid, ${request.provider}, ${Buffer.from(id)}, 'POST', ${headers['content-type']}, ${sealed}, ${dueNow})`);
    const repository = live.worker.get(InboundRepository);
    await live.worker.get(InboundService).readAll(await repository.claimDue());
  };

  it('reports about a message whose answer was lost', async () => {
    server.behaviour = () => 'lost';
    const [id = ''] = await live.send();
    expect(await fixture.stored(id)).toMatchObject({ state: 'submitting' });
    await receive(server.sent[0], 'sent');
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    await receive(server.sent[0], 'delivered');
    expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', provider: 'twilio' });
    await fixture.expectCleanLedger();
  });

  it('reports only about its own messages', async () => {
    await live.route([await add('other', server)], { prefix: '23480' });
    server.behaviour = () => 'lost';
    const [own = ''] = await live.send({ recipients: '+447911123456' });
    const [others = ''] = await live.send({ recipients: '+2348031234567' });
    await receive(server.sent[0], 'delivered', { reference: others });
    expect(await fixture.states([own, others])).toEqual(['submitting', 'submitting']);
    await receive(server.sent[1], 'delivered');
    expect(await fixture.states([own, others])).toEqual(['submitting', 'delivered']);
  });

  describe('and is asked what became of them', () => {
    const makeDue = () =>
      fixture.database.execute(sql`
        WITH turn AS (UPDATE provider_health SET polled_at = NULL)
        UPDATE delivery_poll SET next_attempt_at = now() - interval '1 second'`);
    const polls = () =>
      fixture.database.query<{ polls: number; seconds: number }>(sql`
        SELECT polls, round(extract(epoch FROM next_attempt_at - now()))::int AS seconds FROM delivery_poll
        ORDER BY delivery_id`);
    const poll = async (by = live.worker): Promise<number> => {
      const poller = by.get(StatePoller);
      const claimed = await poller.claimNext();
      if (claimed) await poller.ask(claimed, new AbortController().signal);
      return claimed?.references.length ?? 0;
    };

    it('later and later, until their state is final', async () => {
      const [id = ''] = await live.send();
      expect(await polls()).toEqual([{ polls: 0, seconds: 3_600 }]);
      expect(await poll()).toBe(0);
      await fixture.database.execute(sql`
        UPDATE provider SET settings = jsonb_set(settings, '{poll,afterSeconds}', '60')`);
      await live.refresh();
      for (const seconds of [60, 120, 240]) {
        await makeDue();
        expect(await poll()).toBe(1);
        expect((await polls())[0]?.seconds).toBe(seconds);
      }
      expect(await fixture.states([id])).toEqual(['sent']);
      server.state = () => 'undelivered 30005';
      await makeDue();
      expect(await poll()).toBe(1);
      expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', code: 'invalid_number' });
      await makeDue();
      expect(await poll()).toBe(0);
      expect(await polls()).toEqual([]);
    });

    it('not after a report, and once a second by one of the workers', async () => {
      const other = await fixture.worker();
      await live.refresh(other);
      const recipients = Array.from({ length: 12 }, (_, index) => `+2348031230${100 + index}`).join(',');
      const ids = await live.send({ recipients });
      await live.worker.reports.receive('twilio', [{ reference: ids[0] ?? '', state: 'delivered' }]);
      await makeDue();
      const before = server.requests;
      const counts = await Promise.all([poll(), poll(other), poll(), poll(other)]);
      expect(counts.toSorted()).toEqual([0, 0, 0, 5]);
      expect(server.requests).toBe(before + 5);
      expect(await polls()).toHaveLength(11);
    });

    it('if only a report that is not final showed that they were accepted', async () => {
      server.behaviour = () => 'lost';
      const [id = ''] = await live.send();
      await receive(server.sent[0], 'sent');
      expect(await polls()).toEqual([{ polls: 0, seconds: 3_600 }]);
      server.state = () => 'delivered';
      await makeDue();
      expect(await poll()).toBe(1);
      expect(await fixture.states([id])).toEqual(['delivered']);
    });

    it('not while it is overloaded or gets no messages', async () => {
      await live.send();
      server.state = () => 'overloaded';
      await makeDue();
      expect(await poll()).toBe(1);
      expect(fixture.output.warnings.join()).toContain('did not say what became of messages');
      await fixture.database.execute(
        sql`UPDATE delivery_poll SET next_attempt_at = now() - interval '1 second'`,
      );
      expect(await poll()).toBe(0);
      await makeDue();
      await fixture.database.execute(sql`
        INSERT INTO provider_health (provider_id, state, test_at)
        SELECT id, 'open', now() + interval '1 minute' FROM provider
        ON CONFLICT (provider_id) DO UPDATE SET state = 'open', test_at = excluded.test_at`);
      await live.refresh();
      expect(await poll()).toBe(0);
    });
  });

  it('adds an opt-out for a recipient who has replied STOP to it, once', async () => {
    const recipient = '+2348031234567';
    const optOuts = () =>
      fixture.database.optOut.findMany({
        where: { organisationId: live.organisationId },
        select: { phone: true, channel: true, source: true },
      });
    server.behaviour = () => ({ code: '21610' });
    const refused = [...(await live.send()), ...(await live.send())];
    for (const id of refused)
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', code: 'opted_out', refunded: true });
    expect(await optOuts()).toEqual([{ phone: recipient, channel: 'sms', source: 'message' }]);

    server.behaviour = () => 'accept';
    const { requests } = server;
    jest.spyOn(systemClock, 'now').mockReturnValue(new Date('2026-11-17T12:00:00+01:00'));
    const [blocked = ''] = await live.send({ category: 'promotional' });
    await live.retry();
    expect(await fixture.stored(blocked)).toMatchObject({ state: 'rejected', code: 'opted_out' });
    expect(server.requests).toBe(requests);
    await fixture.expectCleanLedger();
  });

  it('adds an opt-out if it says later that the recipient has replied STOP', async () => {
    const [id = ''] = await live.send();
    const reason = { code: 'opted_out', message: '' };
    await live.worker.reports.receive('twilio', [{ reference: id, state: 'undelivered', reason }]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', code: 'opted_out' });
    const { organisationId } = live;
    expect(await fixture.database.optOut.count({ where: { organisationId } })).toBe(1);
  });

  it('is not used while PUBLIC_URL is an address that it cannot reach', async () => {
    const settings = { request: messagePresets['twilio']?.settings.request, allowPrivate: false };
    await live.route([await add('public', server, settings)], { prefix: '23480' });
    const local = await fixture.worker({ publicUrl: 'http://localhost:3000' });
    await live.refresh(local);
    await expect(live.send({}, local)).rejects.toMatchObject({ status: 503 });
    expect(fixture.output.warnings.join()).toContain('a provider cannot be used');
  });
});
