import { sql } from '@gangan/database';
import { aDelivery, anEndpoint, until } from '@gangan/testing';
import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from '../support/scripted-provider.js';
import type { SubmitResult } from '../../src/providers/message-provider.js';

const reason = { code: 'x', message: 'why' };
const callback = 'https://example.com/callbacks';
const start = 1_000_000n;

describe('a delivery', () => {
  const fixture = DeliveryFixture.use();
  let organisation: string;
  beforeAll(async () => {
    organisation = await fixture.organisation(start);
  });
  afterEach(async () => {
    await fixture.expectCleanLedger();
    fixture.output.events.length = 0;
  });

  const one = async (recipient: string, options = {}) => {
    const message = await fixture.accept(organisation, { recipients: [recipient], callback, ...options });
    return { message: message.id, id: message.deliveries[0] ?? '' };
  };
  const typesOf = async (message: string) =>
    (await fixture.callbacks(message)).map(({ type }) => type.replace('message.', ''));
  /** What the organisation pays for meanwhile. */
  const cost = async (work: () => Promise<unknown>): Promise<bigint> => {
    const before = await fixture.available(organisation);
    await work();
    return before - (await fixture.available(organisation));
  };

  describe('with the simulator', () => {
    it('is sent and delivered at once, with a callback for both', async () => {
      const worker = await fixture.worker();
      const { id, message } = await one('+2348031234567', { externalRef: 'ref-1' });
      await worker.due(organisation, [id]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 1, provider: 'simulator' });
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false, code: null });
      const reports = await fixture.callbacks(message);
      expect(reports.map(({ type }) => type)).toEqual(['message.sent', 'message.delivered']);
      const body = JSON.parse(reports[1]?.body ?? '') as { data: Record<string, unknown> };
      const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*\+00:00$/) as unknown;
      expect(body).toEqual({
        type: 'message.delivered',
        timestamp,
        data: {
          id: message,
          delivery_id: id,
          channel: 'sms',
          recipient: '+2348031234567',
          status: 'delivered',
          external_ref: 'ref-1',
          created_datetime: timestamp,
          updated_datetime: timestamp,
        },
      });
      expect(fixture.output.callbacks.length).toBeGreaterThanOrEqual(2);
    });

    it('is reported to the endpoints of its organisation, without a callback URL', async () => {
      const [owner, other] = [await fixture.organisation(start), await fixture.organisation(start)];
      const endpoints = [
        await anEndpoint(fixture.database, owner),
        await anEndpoint(fixture.database, owner),
      ];
      await anEndpoint(fixture.database, owner, { events: ['message.failed'] });
      const worker = await fixture.worker();
      const [mine, theirs] = [await fixture.accept(owner, {}), await fixture.accept(other, {})];
      await worker.due(owner, mine.deliveries);
      await worker.due(other, theirs.deliveries);
      await worker.receiveReports();
      const stored = await fixture.database.callback.findMany({ where: { organisationId: owner } });
      expect(stored.map(({ endpointId, type }) => `${endpointId ?? ''} ${type}`).toSorted()).toEqual(
        endpoints.flatMap((id) => [`${id} message.delivered`, `${id} message.sent`]).toSorted(),
      );
      for (const { resourceId } of stored) expect(resourceId).toBe(mine.id);
      expect(await fixture.callbacks(theirs.id)).toEqual([]);
    });

    it('has an attempt if the provider rejects it before it calls a carrier', async () => {
      const { id } = await one('+2347000000002');
      await (await fixture.worker()).due(organisation, [id]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'rejected', code: 'invalid_number' });
      expect(await fixture.attempts(id)).toEqual([{ provider: 'simulator', outcome: 'rejected' }]);
    });

    it.each([
      ['0002', 'rejected', ['rejected'], 0n],
      ['0003', 'sent', ['sent'], price],
      ['0004', 'undelivered', ['sent', 'undelivered'], 0n],
      ['0007', 'sent', ['sent'], price],
    ])('to a number that ends with %s is %s', async (last, state, reports, paid) => {
      const worker = await fixture.worker();
      const given = { message: '' };
      const spent = await cost(async () => {
        const { id, message } = await one(`+234700000${last}`);
        given.message = message;
        await worker.due(organisation, [id]);
        await worker.receiveReports();
        expect(await fixture.stored(id)).toMatchObject({ state, refunded: paid === 0n });
      });
      expect(await typesOf(given.message)).toEqual(reports);
      expect(spent).toBe(paid);
    });

    it('to a number that ends with 0003 is delivered when its report is due, by any worker', async () => {
      const { id } = await one('+2347000000003');
      await (await fixture.worker()).due(organisation, [id]);
      await fixture.database.$executeRaw`
        UPDATE simulated_message SET report_due_at = now() - interval '1 ms' WHERE reference = ${id}::uuid`;
      await (await fixture.worker()).receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
    });

    it.each([
      ['whatsapp', ['sent', 'delivered', 'read']],
      ['sms', ['sent', 'delivered']],
    ] as const)('to a number that ends with 0009, by %s, is reported as %j', async (channel, reports) => {
      const worker = await fixture.worker();
      const { id, message } = await one('+2347000000009', { channel });
      await worker.due(organisation, [id]);
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
      await fixture.database.$executeRaw`
        UPDATE simulated_message SET report_due_at = report_due_at - interval '2 seconds' WHERE reference = ${id}::uuid`;
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: reports.at(-1), refunded: false });
      expect(await typesOf(message)).toEqual(reports);
      const [left] = await fixture.database.query(sql`
        SELECT report_due_at AS due FROM simulated_message WHERE reference = ${id}::uuid`);
      expect(left).toEqual({ due: null });
    });

    it.each([
      ['whatsapp', 'rejected'],
      ['sms', 'delivered'],
    ] as const)('to a number that ends with 0010, by %s, is %s', async (channel, state) => {
      const worker = await fixture.worker();
      const { id } = await one('+2347000000010', { channel });
      await worker.due(organisation, [id]);
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state, refunded: state === 'rejected' });
    });

    it('to a number that ends with 0005 is accepted at the second attempt', async () => {
      const worker = await fixture.worker();
      const { id } = await one('+2347000000005');
      await worker.due(organisation, [id]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
      await fixture.makeDue();
      await worker.sweep();
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', attempt: 2, refunded: false });
      expect(await fixture.simulatedOutcomes([id])).toEqual(['lost', 'accepted']);
      expect(await fixture.attempts(id)).toEqual([
        { provider: 'simulator', outcome: 'unknown' },
        { provider: 'simulator', outcome: 'accepted' },
      ]);
    });

    it('to a number that ends with 0006 is accepted once, although its answer was lost and its report was early', async () => {
      const worker = await fixture.worker();
      const { id, message } = await one('+2347000000006');
      await worker.due(organisation, [id]);
      await worker.receiveReports();
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', attempt: 1 });
      await fixture.makeDue();
      await worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
      expect(await fixture.simulatedOutcomes([id])).toEqual(['accepted']);
      expect(await typesOf(message)).toEqual(['sent', 'delivered']);
    });

    it('to a number that ends with 0007 expires without a refund', async () => {
      const worker = await fixture.worker();
      const { id, message } = await one('+2347000000007');
      await worker.due(organisation, [id]);
      await fixture.endValidity();
      await worker.sweep();
      expect(await fixture.stored(id)).toMatchObject({
        state: 'expired',
        refunded: false,
        code: 'no_report',
      });
      expect(await typesOf(message)).toEqual(['sent', 'expired']);
    });
  });

  describe('with other providers', () => {
    it('goes to the next provider at once if one cannot accept it', async () => {
      const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
      first.onSubmit = () => ({ kind: 'transient', reason });
      const { id } = await one('+2348031234567');
      await (await fixture.worker({ named: [first, second] })).due(organisation, [id]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', provider: 'second', attempt: 2 });
      expect(await fixture.attempts(id)).toEqual([
        { provider: 'first', outcome: 'transient' },
        { provider: 'second', outcome: 'accepted' },
      ]);
    });

    it('never goes to another provider after a final refusal or an unknown outcome', async () => {
      const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
      const answers: Record<string, SubmitResult | Error> = {
        rejected: { kind: 'rejected', reason },
        failed: { kind: 'failed', reason },
        submitting: new Error('socket hang up'),
      };
      for (const [state, answer] of Object.entries(answers)) {
        first.onSubmit = () => answer;
        const { id } = await one('+2348031234567');
        await (await fixture.worker({ named: [first, second] })).due(organisation, [id]);
        expect(await fixture.stored(id)).toMatchObject({ state, provider: 'first' });
      }
      expect(second.submitted).toEqual([]);
      await fixture.makeDue();
      first.onSubmit = () => ({ kind: 'failed', reason });
      await (await fixture.worker({ named: [first, second] })).sweep();
    });

    it('is tried as often as the retry schedule says, by each provider in turn, and then refunded', async () => {
      const [first, second] = [new ScriptedProvider('first'), new ScriptedProvider('second')];
      first.onSubmit = second.onSubmit = () => ({ kind: 'transient', reason });
      const worker = await fixture.worker({ named: [first, second] });
      const spent = await cost(async () => {
        const { id } = await one('+2348031234567');
        await worker.due(organisation, [id]);
        expect(await fixture.stored(id)).toMatchObject({ state: 'queued', attempt: 2 });
        for (let round = 0; round < 3; round += 1) {
          await fixture.makeDue();
          await worker.sweep();
        }
        expect(await fixture.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'x' });
      });
      expect(spent).toBe(0n);
      expect([first.submitted.length, second.submitted.length]).toEqual([4, 4]);
    });

    it('is not claimed before its next attempt is due', async () => {
      const provider = new ScriptedProvider();
      provider.onSubmit = () => ({ kind: 'transient', reason });
      const worker = await fixture.worker({ named: [provider] });
      const { id } = await one('+2348031234567');
      await worker.due(organisation, [id]);
      await worker.due(organisation, [id]);
      await worker.sweep();
      expect(provider.submitted).toHaveLength(1);
      provider.onSubmit = () => ({ kind: 'failed', reason });
      await fixture.makeDue();
      await worker.sweep();
    });

    it('is queried after a missing answer, and sent again if the provider does not have it', async () => {
      const knows = new ScriptedProvider('knows', (reference) => accepted(`known-${reference}`));
      const forgot = new ScriptedProvider('forgot', () => ({ kind: 'not_found' }));
      const mute = new ScriptedProvider('mute');
      for (const [provider, calls] of [
        [knows, 1],
        [forgot, 2],
        [mute, 2],
      ] as const) {
        provider.onSubmit = () => new Error('socket hang up');
        const { id } = await one('+2348031234567');
        const worker = await fixture.worker({ named: [provider] });
        await worker.due(organisation, [id]);
        provider.onSubmit = ({ reference }) => accepted(`again-${reference}`);
        await fixture.makeDue();
        await worker.sweep();
        expect(await fixture.stored(id)).toMatchObject({ state: 'sent', attempt: 2 });
        expect(provider.submitted).toHaveLength(calls);
      }
    });

    it('is updated by a late result', async () => {
      const late = new Pending<SubmitResult>();
      const provider = new ScriptedProvider();
      provider.onSubmit = () => late.answer;
      const { id } = await one('+2348031234567');
      await (await fixture.worker({ named: [provider], timeoutMs: 100 })).due(organisation, [id]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'submitting' });
      late.give(accepted('late'));
      await until('the delivery is sent', async () => (await fixture.stored(id)).state === 'sent');
    });

    it('is not changed by a late result of an earlier attempt', async () => {
      const late = new Pending<SubmitResult>();
      const provider = new ScriptedProvider();
      provider.onSubmit = () => late.answer;
      const { id } = await one('+2348031234567');
      await (await fixture.worker({ named: [provider], timeoutMs: 100 })).due(organisation, [id]);
      const other = new ScriptedProvider();
      await fixture.makeDue();
      await (await fixture.worker({ named: [other] })).sweep();
      await (
        await fixture.worker({ named: [other] })
      ).reports.receive(other.name, [{ providerReference: `of-${id}`, state: 'delivered' }]);
      late.give({ kind: 'rejected', reason });
      await new Promise((resolve) => setImmediate(resolve));
      await (await fixture.worker()).sweep();
      expect(await fixture.stored(id)).toMatchObject({ state: 'delivered', refunded: false });
    });

    it('on WhatsApp outside its window fails with the carrier’s reason, and is refunded', async () => {
      const provider = new ScriptedProvider();
      const window = { code: 'outside_window', message: 'The recipient has not written for 24 hours' };
      provider.onSubmit = () => ({ kind: 'failed', reason: window });
      const spent = await cost(async () => {
        const { id, message } = await one('+2348031234567', { channel: 'whatsapp' });
        await (await fixture.worker({ named: [provider] })).due(organisation, [id]);
        expect(await fixture.stored(id)).toMatchObject({
          state: 'failed',
          refunded: true,
          code: window.code,
        });
        const [report] = await fixture.callbacks(message);
        expect(JSON.parse(report?.body ?? '')).toMatchObject({
          type: 'message.failed',
          data: { reason: window },
        });
      });
      expect(spent).toBe(0n);
      expect(provider.submitted[0]).toMatchObject({ channel: 'whatsapp', text: 'Hello', sender: 'Sender' });
    });
  });

  describe('of an OTP', () => {
    it('is opened only for the provider, and its text is erased once the provider has it', async () => {
      const provider = new ScriptedProvider();
      const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
      expect(await fixture.stored(id)).toMatchObject({ isSealed: true });
      await (await fixture.worker({ named: [provider] })).due(organisation, [id], 'otp');
      expect(provider.submitted).toMatchObject([{ text: 'Your code is 123456', sender: 'Test' }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'sent', isSealed: false });
      expect(fixture.output.events).toEqual([]);
    });

    it('is reported to subscribed endpoints when a carrier accepts it; the otp worker reports failures', async () => {
      const owner = await fixture.organisation(start);
      const events = ['otp.sent', 'otp.failed'];
      const endpointId = await anEndpoint(fixture.database, owner, { events });
      await anEndpoint(fixture.database, owner);
      const accept = (recipient?: string) => fixture.acceptOtp(owner, 'Your code is 123456', recipient);
      const [sent, failed, ended] = [
        await accept(),
        await accept('+2347000000002'),
        await accept('+2347000000002'),
      ];
      const otpOf = async (id: string): Promise<string> =>
        (await fixture.database.delivery.findUniqueOrThrow({ where: { id } })).otpId ?? '';
      await fixture.database.otp.update({ where: { id: await otpOf(ended) }, data: { status: 5 } });
      const worker = await fixture.worker();
      await worker.due(owner, [sent, failed, ended], 'otp');
      await worker.receiveReports();
      const stored = await fixture.database.callback.findMany({ where: { organisationId: owner } });
      expect(stored.map(({ type, resourceId }) => `${type} ${resourceId}`)).toEqual([
        `otp.sent ${await otpOf(sent)}`,
      ]);
      for (const row of stored) {
        expect(row).toMatchObject({ endpointId, requestId: 'request-1' });
        expect(row.body).not.toContain('code is');
      }
      expect(JSON.parse(stored[0]?.body ?? '')).toMatchObject({
        type: 'otp.sent',
        data: { channel: 'sms', status: 'sent' },
      });
      // An OTP of which a delivery has failed is due, unless it has ended.
      const otps = await fixture.database.otp.findMany({
        where: { organisationId: owner, dueAt: { not: null } },
      });
      expect(otps.map(({ id }) => id)).toEqual([await otpOf(failed)]);
      fixture.output.events.length = 0;
    });

    it('that cannot be delivered is reported to the otp worker and refunded', async () => {
      const spent = await cost(async () => {
        const id = await fixture.acceptOtp(organisation, 'Your code is 123456', '+2347000000002');
        await (await fixture.worker()).due(organisation, [id], 'otp');
        expect(await fixture.stored(id)).toMatchObject({
          state: 'rejected',
          refunded: true,
          isSealed: false,
        });
        expect(fixture.output.events).toMatchObject([{ delivery_id: id, status: 'rejected' }]);
      });
      expect(spent).toBe(0n);
    });

    it('that has ended is not sent', async () => {
      const provider = new ScriptedProvider();
      const ids = [await fixture.acceptOtp(organisation, '1'), await fixture.acceptOtp(organisation, '2')];
      await fixture.database.$executeRaw`
        UPDATE otp SET status = 5 WHERE id = (SELECT otp_id FROM delivery WHERE id = ${ids[0]}::uuid)`;
      await fixture.database.$executeRaw`
        UPDATE otp SET expires_at = now() WHERE id = (SELECT otp_id FROM delivery WHERE id = ${ids[1]}::uuid)`;
      await (await fixture.worker({ named: [provider] })).due(organisation, ids, 'otp');
      expect(provider.submitted).toEqual([]);
      for (const id of ids) {
        expect(await fixture.stored(id)).toMatchObject({
          state: 'failed',
          refunded: true,
          code: 'obsolete',
        });
      }
    });

    it.each([
      ['has arrived', false, 1, { state: 'sent', refunded: false }],
      ['may have arrived, if another has the same token', false, 2, { state: 'submitting', refunded: false }],
      ['has failed, if its provider does not have it', true, 1, { state: 'failed', refunded: true }],
      [
        'has failed, if its provider does not have it, with others',
        true,
        2,
        { state: 'failed', code: 'verified' },
      ],
    ])(
      'that was verified after an attempt without an answer counts as if it %s',
      async (_, canAsk, deliveries, expected) => {
        const provider = new ScriptedProvider('silent', canAsk ? () => ({ kind: 'not_found' }) : undefined);
        const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
        if (deliveries > 1) await aDelivery(fixture.database, organisation, { otpId: id, state: 'sent' });
        await fixture.crash([id], 'silent');
        await fixture.database.otp.update({ where: { id }, data: { status: 2 } });
        await (await fixture.worker({ named: [provider] })).sweep();
        expect(provider.submitted).toEqual([]);
        expect(await fixture.stored(id)).toMatchObject({ ...expected, isSealed: false });
      },
    );

    it.each(['asks', 'cannot ask', 'must not repeat'])(
      'erases its text when it will not be submitted again (the worker %s)',
      async (how) => {
        const provider = new ScriptedProvider(
          'mute',
          how === 'asks' ? () => ({ kind: 'unknown' }) : undefined,
        );
        const named =
          how === 'must not repeat'
            ? [Object.assign(provider, { ifUnanswered: 'wait' as const })]
            : [provider];
        provider.onSubmit = () => new Error('socket hang up');
        const worker = await fixture.worker({ named });
        const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
        await worker.due(organisation, [id], 'otp');
        const isLast = how === 'must not repeat';
        expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', isSealed: !isLast });
        for (let round = 0; round < 3; round += 1) {
          await fixture.makeDue();
          await worker.sweep();
        }
        expect(await fixture.stored(id)).toMatchObject({ state: 'submitting', isSealed: false });
        await fixture.endValidityOfOpen([id]);
        await worker.sweep();
        expect(await fixture.stored(id)).toMatchObject({ state: 'expired', refunded: false });
        expect(fixture.output.warnings.splice(0)).not.toContain('could not open a sealed text');
      },
    );

    it.each(['queued', 'submitting'])(
      'keeps no text after the end of its OTP while it is %s',
      async (state) => {
        const worker = await fixture.worker({ named: [] });
        const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
        if (state === 'submitting') await fixture.crash([id], 'gone');
        const look = async () => {
          await fixture.makeDue();
          await worker.sweep();
          return fixture.stored(id);
        };
        expect(await look()).toMatchObject({ state, isSealed: true });
        await fixture.database.otp.update({ where: { id }, data: { expiresAt: new Date() } });
        expect(await look()).toMatchObject({ state, isSealed: false });
        await fixture.endValidityOfOpen([id]);
        await worker.sweep();
      },
    );

    it('that was verified before an attempt is refunded and not sent', async () => {
      const provider = new ScriptedProvider();
      const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
      await fixture.database.$executeRaw`
        UPDATE otp SET status = 2 WHERE id = (SELECT otp_id FROM delivery WHERE id = ${id}::uuid)`;
      await (await fixture.worker({ named: [provider] })).due(organisation, [id], 'otp');
      expect(provider.submitted).toEqual([]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', refunded: true, code: 'verified' });
    });

    it('is not sent if too little time is left to enter it', async () => {
      const provider = new ScriptedProvider();
      const worker = await fixture.worker({ named: [provider] });
      const lives = [
        ['600 seconds', '50 seconds', 'failed'],
        ['600 seconds', '120 seconds', 'sent'],
        ['60 seconds', '50 seconds', 'sent'],
        ['60 seconds', '20 seconds', 'failed'],
      ] as const;
      for (const [life, left, state] of lives) {
        const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
        await fixture.database.execute(sql`
          UPDATE otp SET expires_at = now() + ${left}::interval, placed_at = now() + ${left}::interval - ${life}::interval
          WHERE id = (SELECT otp_id FROM delivery WHERE id = ${id}::uuid)`);
        await worker.due(organisation, [id], 'otp');
        expect([life, left, (await fixture.stored(id)).state]).toEqual([life, left, state]);
      }
      expect(provider.submitted).toHaveLength(2);
    });

    it('has its own retry schedule', async () => {
      const provider = new ScriptedProvider();
      provider.onSubmit = () => ({ kind: 'transient', reason });
      const worker = await fixture.worker({ named: [provider] });
      const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
      await worker.due(organisation, [id], 'otp');
      await until('the OTP has no attempt left', async () => {
        await fixture.makeDue();
        await worker.sweep();
        return (await fixture.stored(id)).state !== 'queued';
      });
      // Twice after the pauses for OTPs; a message would have been tried three times more.
      expect(await fixture.attempts(id)).toHaveLength(3);
      expect(await fixture.stored(id)).toMatchObject({ state: 'failed', refunded: true });
    });

    it('keeps only the reason code if a provider repeats its text in results, errors or reports', async () => {
      const echoing = new ScriptedProvider('echoing', () => ({ kind: 'not_found' }));
      const worker = await fixture.worker({ named: [echoing] });
      const text = 'Your code is 918273';
      const words = (code: string) => ({ code, message: `cannot send: ${text}` });
      const scripts: ScriptedProvider['onSubmit'][] = [
        () => Object.assign(new Error(text), { code: 'ECONNRESET' }),
        () => ({ kind: 'unknown', reason: words(text) }),
        () => ({ kind: 'failed', reason: words('E-12') }),
      ];
      const ids: string[] = [];
      for (const script of scripts) {
        echoing.onSubmit = script;
        ids.push(await fixture.acceptOtp(organisation, text));
        await worker.due(organisation, ids.slice(-1), 'otp');
      }
      echoing.onSubmit = ({ reference }) => accepted(`echo-${reference}`);
      for (const code of ['E-13', text]) {
        const id = await fixture.acceptOtp(organisation, text);
        ids.push(id);
        await worker.due(organisation, [id], 'otp');
        const report = { state: 'undelivered', reason: words(code) } as const;
        await worker.reports.receive('echoing', [
          { ...report, providerReference: `echo-${id}` },
          { ...report, providerReference: `unknown-${id}` },
        ]);
      }
      const rows = await fixture.database.query<{ row: string }>(sql`
        SELECT delivery::text AS row FROM delivery WHERE id = ANY (${ids}::uuid[])
        UNION ALL SELECT delivery_attempt::text FROM delivery_attempt WHERE delivery_id = ANY (${ids}::uuid[])
        UNION ALL SELECT parked_report::text FROM parked_report`);
      const kept = [...rows.map(({ row }) => row), ...fixture.output.warnings].join();
      expect(kept).not.toContain('918273');
      for (const code of ['unspecified', 'E-12', 'E-13']) expect(kept).toContain(code);
      expect(fixture.output.warnings.join()).toContain('a provider did not answer');
      await fixture.database.execute(sql`DELETE FROM parked_report`);
    });

    it('whose text cannot be opened fails', async () => {
      const id = await fixture.acceptOtp(organisation, 'Your code is 123456');
      await fixture.database.$executeRaw`UPDATE delivery SET sealed_body = '\\x00' WHERE id = ${id}::uuid`;
      await (await fixture.worker()).due(organisation, [id], 'otp');
      expect(await fixture.stored(id)).toMatchObject({
        state: 'failed',
        refunded: true,
        code: 'unreadable',
      });
    });
  });
});
