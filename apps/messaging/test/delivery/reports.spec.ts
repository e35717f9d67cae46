import { sql } from '@gangan/database';
import { dueNow, Retention } from '@gangan/leases';
import { newId } from '@gangan/protocol';
import { lockWallets } from '@gangan/billing';
import { until } from '@gangan/testing';
import { describe, expect, it } from '@jest/globals';
import { price } from '../support/delivery-fixture.js';
import { reportReason } from '../../src/outcome/reasons.js';
import { ScriptedFixture } from '../support/scripted-fixture.js';
import { accepted } from '../support/scripted-provider.js';

const dnd = { code: 'dnd', message: 'DND' };
const absent = { code: 'absent', message: 'Switched off' };

describe('reports', () => {
  const scripted = ScriptedFixture.use();
  const { fixture } = scripted;

  const sent = (count = 1): Promise<string[]> =>
    scripted.send({ recipients: Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`) });
  const park = (ids: readonly string[], report: { state: string; code?: string; age?: string }) =>
    fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code, received_at)
      SELECT ${scripted.provider.name}, 'of-' || id, ${report.state}::delivery_state, ${report.code ?? null},
        now() - ${report.age ?? '0'}::interval
      FROM unnest(${ids}::text[]) AS named (id)`);
  const parked = async (reference: string): Promise<number> =>
    (await fixture.database.query(sql`SELECT FROM parked_report WHERE provider_reference = ${reference}`))
      .length;

  it('end many deliveries at once, and refund only for refundable reasons', async () => {
    const [one = '', two = '', three = '', four = ''] = await sent(4);
    const before = await fixture.available(scripted.organisation);
    await scripted.receive([
      { providerReference: `of-${one}`, state: 'delivered' },
      { providerReference: `of-${two}`, state: 'undelivered', reason: dnd },
      { providerReference: `of-${three}`, state: 'undelivered', reason: absent },
      { providerReference: `of-${four}`, state: 'sent' },
    ]);
    expect(await fixture.states([one, two, three, four])).toEqual([
      'delivered',
      'undelivered',
      'undelivered',
      'sent',
    ]);
    expect((await fixture.available(scripted.organisation)) - before).toBe(price);
    expect(await fixture.stored(two)).toMatchObject({ refunded: true, code: 'dnd' });
    expect(await fixture.stored(three)).toMatchObject({ refunded: false, code: 'absent' });
    await fixture.expectCleanLedger();
  });

  it('count once, in any order, and never after a final state', async () => {
    const [id = ''] = await sent();
    const before = await fixture.available(scripted.organisation);
    const undelivered = { providerReference: `of-${id}`, state: 'undelivered', reason: dnd } as const;
    const delivered = { providerReference: `of-${id}`, state: 'delivered' } as const;
    await Promise.all(Array.from({ length: 10 }, () => scripted.receive([undelivered, undelivered])));
    await scripted.receive([delivered, { ...delivered, state: 'sent' }]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect((await fixture.available(scripted.organisation)) - before).toBe(price);
    await fixture.expectCleanLedger();
  });

  it('that arrive before the result are parked once, and applied with the result', async () => {
    const { deliveries, answer } = await scripted.startSubmitting();
    const reference = newId();
    const early = { providerReference: reference, state: 'delivered' } as const;
    await scripted.receive([early, early]);
    await scripted.receive([early]);
    expect(await parked(reference)).toBe(1);
    await answer(accepted(reference));
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
    expect(await parked(reference)).toBe(0);
  });

  it('that are parked keep their reason, with its sentence', async () => {
    for (const [code, message] of [
      ['dnd', 'The recipient is on the do-not-disturb (DND) list'],
      ['absent', 'The carrier could not deliver the message'],
    ] as const) {
      const { deliveries, answer } = await scripted.startSubmitting();
      const reference = newId();
      const reason = reportReason('undelivered', code);
      await scripted.receive([{ providerReference: reference, state: 'undelivered', reason }]);
      await answer(accepted(reference));
      const [row] = await fixture.database.query<{ code: string; message: string }>(sql`
        SELECT error_code AS code, error_message AS message FROM delivery WHERE id = ANY (${deliveries}::uuid[])`);
      expect(row).toEqual({ code, message });
    }
  });

  it('that arrive together with the result are never lost', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { deliveries } = await fixture.accept(scripted.organisation);
      const reference = newId();
      scripted.provider.onSubmit = () => accepted(reference);
      await Promise.all([
        scripted.worker.due(scripted.organisation, deliveries),
        until('the provider is called', () => scripted.provider.submitted.length > round).then(() =>
          scripted.receive([{ providerReference: reference, state: 'delivered' }]),
        ),
      ]);
      expect(await fixture.states(deliveries)).toEqual(['delivered']);
    }
  });

  it('are matched later if their worker died before it matched them', async () => {
    const [id = ''] = await sent();
    await park([id], { state: 'delivered', age: '1 minute' });
    await scripted.worker.reportSweeper.matchParked();
    expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
  });

  it('about messages from before the table of references are matched', async () => {
    const [id = '', early = '', expiring = ''] = await sent(3);
    await fixture.database.execute(sql`DELETE FROM provider_reference`);
    await park([early], { state: 'delivered', age: '1 minute' });
    await scripted.receive([{ providerReference: `of-${id}`, state: 'delivered' }]);
    await scripted.worker.reportSweeper.matchParked();
    expect(await fixture.states([id, early])).toEqual(['delivered', 'delivered']);
    await park([expiring], { state: 'delivered' });
    await fixture.endValidity();
    await scripted.worker.reportSweeper.expire();
    expect(await fixture.states([expiring])).toEqual(['delivered']);
    expect(await parked(`of-${expiring}`)).toBe(0);
  });

  it('that were parked long ago behind many others are matched', async () => {
    const [id = ''] = await sent();
    const others = Array.from({ length: 2_500 }, (_, index) => `other-${index}`);
    await park(others, { state: 'delivered', age: '2 days' });
    await park([id], { state: 'delivered', age: '1 day' });
    await scripted.worker.reportSweeper.matchParked();
    await scripted.worker.reportSweeper.matchParked();
    expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
    expect(await parked(`of-${id}`)).toBe(0);
  });

  it('that cannot be applied do not delay the expiry of other deliveries', async () => {
    const other = await fixture.organisation();
    const held = await sent(500);
    await fixture.endValidity();
    const [later = ''] = await scripted.send({}, other);
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = ${dueNow} WHERE id = ${later}::uuid`,
    );
    await park([...held, later], { state: 'undelivered', code: 'dnd' });
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [scripted.organisation]);
      await expect(scripted.worker.reportSweeper.expire()).rejects.toThrow();
      await scripted.worker.reportSweeper.expire().catch(() => undefined);
      expect(await fixture.states([later])).toEqual(['undelivered']);
    });
    for (let more = true; more;) more = await scripted.worker.reportSweeper.expire();
    expect(new Set(await fixture.states(held))).toEqual(new Set(['undelivered']));
  });

  it('that are parked are applied before their delivery expires', async () => {
    const [id = '', silent = ''] = await sent(2);
    await park([id], { state: 'undelivered', code: 'dnd' });
    await fixture.endValidity();
    await scripted.worker.reportSweeper.expire();
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect(await fixture.stored(silent)).toMatchObject({ state: 'expired', refunded: false });
    await fixture.expectCleanLedger();
  });

  it('with our reference end a delivery, even without a provider result', async () => {
    scripted.provider.onSubmit = ({ recipient }) =>
      recipient === '+2348031200001' ? accepted('') : new Error('socket hang up');
    const recipients = ['+2348031200001', '+2348031200002'];
    const { id, deliveries } = await fixture.accept(scripted.organisation, {
      recipients,
      callback: 'https://x.ng',
    });
    for (const each of deliveries) await scripted.worker.due(scripted.organisation, [each]);
    expect(await fixture.states(deliveries)).toEqual(['sent', 'submitting']);
    const reports = deliveries.map((reference) => ({ reference, state: 'delivered' }) as const);
    await scripted.worker.reports.receive('another provider', reports);
    expect(await fixture.states(deliveries)).toEqual(['sent', 'submitting']);
    await scripted.receive([...reports, ...reports, { reference: 'x', state: 'delivered' }]);
    expect(await fixture.states(deliveries)).toEqual(['delivered', 'delivered']);
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      'message.delivered',
      'message.delivered',
      'message.sent',
      'message.sent',
    ]);
  });

  it('with our reference are not lost while the result is being stored', async () => {
    const { deliveries, answer } = await scripted.startSubmitting();
    const [reference = ''] = deliveries;
    const receiving = await fixture.database.transaction(async (transaction) => {
      await transaction.execute(
        sql`UPDATE delivery SET state = 'sent', next_attempt_at = now() + interval '1 day' WHERE id = ${reference}`,
      );
      const receive = scripted.receive([{ reference, state: 'delivered' }]);
      await fixture.untilLocked();
      return { receive };
    });
    await receiving.receive;
    await answer(accepted(''));
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('with texts and references that cannot be stored unchanged are applied', async () => {
    const [odd, long] = ['a\0b', 'x'.repeat(10_000)];
    for (const reference of [odd, long]) {
      scripted.provider.onSubmit = () => accepted(reference);
      const [id = ''] = await sent();
      const reason = { code: 'c\0'.repeat(1_000), message: '\ud800\0' };
      await scripted.receive([{ providerReference: reference, state: 'undelivered', reason }]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: false });
    }
  });

  it('for unknown references change nothing, and are removed after some days', async () => {
    const [id = ''] = await sent();
    await scripted.receive([{ providerReference: 'unknown', state: 'delivered' }]);
    await scripted.worker.reports.receive('another provider', [
      { providerReference: `of-${id}`, state: 'delivered' },
    ]);
    await scripted.receive([
      { providerReference: 'a\0b', state: 'delivered' },
      { providerReference: 'x'.repeat(10_000), state: 'delivered' },
    ]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    await fixture.database.execute(sql`
      UPDATE parked_report SET received_at = now() - interval '4 days' WHERE provider_reference = 'unknown'`);
    await scripted.worker.get(Retention).prune('parked_report');
    expect([await parked('unknown'), await parked(`of-${id}`)]).toEqual([0, 1]);
  });

  it('do not wait for the locked wallet of another organisation, whose reports must be delivered again', async () => {
    const other = await fixture.organisation();
    const [own = ''] = await sent();
    const deliveries = await scripted.send({}, other);
    const reports = [own, ...deliveries].map(
      (id) => ({ providerReference: `of-${id}`, state: 'undelivered', reason: dnd }) as const,
    );
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [scripted.organisation]);
      await expect(scripted.receive(reports)).rejects.toThrow();
      expect(await fixture.states(deliveries)).toEqual(['undelivered']);
    });
    await scripted.receive(reports);
    expect(await fixture.states([own, ...deliveries])).toEqual(['undelivered', 'undelivered']);
    await fixture.expectCleanLedger();
  });

  it('that wait for a wallet do not delay the expiry of others', async () => {
    const other = await fixture.organisation();
    const [own = ''] = await sent();
    const deliveries = await scripted.send({}, other);
    await park([own], { state: 'undelivered', code: 'dnd' });
    await fixture.endValidity();
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [scripted.organisation]);
      await expect(scripted.worker.reportSweeper.expire()).rejects.toThrow();
      expect(await fixture.states([own, ...deliveries])).toEqual(['sent', 'expired']);
    });
    await scripted.worker.sweep();
    expect(await fixture.stored(own)).toMatchObject({ state: 'undelivered', refunded: true });
    await fixture.expectCleanLedger();
  });
});
