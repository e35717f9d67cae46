import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { lockWallets } from '@gangan/billing';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { DeliveryFixture, price } from './support/delivery-fixture.js';
import { accepted, Pending, ScriptedProvider } from './support/scripted-provider.js';
import type { SubmitResult } from '../src/providers/message-provider.js';

const dnd = { code: 'dnd', message: 'DND' };
const absent = { code: 'absent', message: 'Switched off' };

describe('reports', () => {
  let fixture: DeliveryFixture;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  let organisation: string;
  beforeAll(async () => {
    fixture = await DeliveryFixture.open();
    organisation = await fixture.organisation();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    provider = new ScriptedProvider();
    worker = fixture.worker({ named: [provider] });
  });

  const sent = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, index) => `+23480312${10_000 + index}`);
    const { deliveries } = await fixture.accept(organisation, { recipients });
    await worker.due(organisation, deliveries);
    return deliveries;
  };
  const parked = async (reference: string): Promise<number> =>
    (await fixture.database.query(sql`SELECT FROM parked_report WHERE provider_reference = ${reference}`))
      .length;

  it('end many deliveries at once, and refund only for refundable reasons', async () => {
    const [one = '', two = '', three = '', four = ''] = await sent(4);
    const before = await fixture.available(organisation);
    await worker.reports.receive(provider.name, [
      { providerReference: `of-${one}`, state: 'delivered' },
      { providerReference: `of-${two}`, state: 'undelivered', reason: dnd },
      { providerReference: `of-${three}`, state: 'undelivered', reason: absent },
      { providerReference: `of-${four}`, state: 'sent' },
    ]);
    expect(await fixture.states([one, two, three, four])).toEqual([
      ...['delivered', 'undelivered', 'undelivered', 'sent'],
    ]);
    expect((await fixture.available(organisation)) - before).toBe(price);
    expect(await fixture.stored(two)).toMatchObject({ refunded: true, code: 'dnd' });
    expect(await fixture.stored(three)).toMatchObject({ refunded: false, code: 'absent' });
    await fixture.expectCleanLedger();
  });

  it('count once, in any order, and never after a final state', async () => {
    const [id = ''] = await sent();
    const before = await fixture.available(organisation);
    const undelivered = { providerReference: `of-${id}`, state: 'undelivered', reason: dnd } as const;
    const delivered = { providerReference: `of-${id}`, state: 'delivered' } as const;
    await Promise.all(
      Array.from({ length: 10 }, () => worker.reports.receive(provider.name, [undelivered, undelivered])),
    );
    await worker.reports.receive(provider.name, [delivered, { ...delivered, state: 'sent' }]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect((await fixture.available(organisation)) - before).toBe(price);
    await fixture.expectCleanLedger();
  });

  it('that arrive before the result are parked once, and applied with the result', async () => {
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const { deliveries } = await fixture.accept(organisation);
    const reference = newId();
    const delivering = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length === 1);
    const early = { providerReference: reference, state: 'delivered' } as const;
    await worker.reports.receive(provider.name, [early, early]);
    await worker.reports.receive(provider.name, [early]);
    expect(await parked(reference)).toBe(1);
    answer.give(accepted(reference));
    await delivering;
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
    expect(await parked(reference)).toBe(0);
  });

  it('that cross with the result are never lost', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { deliveries } = await fixture.accept(organisation);
      const reference = newId();
      provider.onSubmit = () => accepted(reference);
      await Promise.all([
        worker.due(organisation, deliveries),
        until('the provider is called', () => provider.submitted.length > round).then(() =>
          worker.reports.receive(provider.name, [{ providerReference: reference, state: 'delivered' }]),
        ),
      ]);
      expect(await fixture.states(deliveries)).toEqual(['delivered']);
    }
  });

  it('whose worker died before they were matched are matched later', async () => {
    const [id = ''] = await sent();
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      VALUES (${provider.name}, ${`of-${id}`}, 'delivered', now() - interval '1 minute')`);
    await worker.reportSweeper.matchParked();
    expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
  });

  it('about messages that were sent before references had a table are matched', async () => {
    const [id = '', early = '', expiring = ''] = await sent(3);
    await fixture.database.execute(sql`DELETE FROM provider_reference`);
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      VALUES (${provider.name}, ${`of-${early}`}, 'delivered', now() - interval '1 minute')`);
    await worker.reports.receive(provider.name, [{ providerReference: `of-${id}`, state: 'delivered' }]);
    await worker.reportSweeper.matchParked();
    expect(await fixture.states([id, early])).toEqual(['delivered', 'delivered']);
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state)
      VALUES (${provider.name}, ${`of-${expiring}`}, 'delivered')`);
    await fixture.endValidity();
    await worker.reportSweeper.expire();
    expect(await fixture.states([expiring])).toEqual(['delivered']);
    expect(await parked(`of-${expiring}`)).toBe(0);
  });

  it('that were parked long ago behind many others are matched', async () => {
    const [id = ''] = await sent();
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      SELECT ${provider.name}, 'stranger-' || n, 'delivered', now() - interval '2 days' FROM generate_series(1, 2500) n`);
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      VALUES (${provider.name}, ${`of-${id}`}, 'delivered', now() - interval '1 day')`);
    await worker.reportSweeper.matchParked();
    await worker.reportSweeper.matchParked();
    expect(await fixture.stored(id)).toMatchObject({ state: 'delivered' });
    expect(await parked(`of-${id}`)).toBe(0);
  });

  it('that cannot be applied do not hold up the deliveries that expire after theirs', async () => {
    const stranger = await fixture.organisation();
    const held = await sent(500);
    await fixture.endValidity();
    const { deliveries } = await fixture.accept(stranger);
    await worker.due(stranger, deliveries);
    const [later = ''] = deliveries;
    await fixture.database.execute(
      sql`UPDATE delivery SET next_attempt_at = now() WHERE id = ${later}::uuid`,
    );
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      SELECT ${provider.name}, 'of-' || id, 'undelivered', 'dnd' FROM unnest(${[...held, later]}::uuid[]) AS named (id)`);
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await expect(worker.reportSweeper.expire()).rejects.toThrow();
      await worker.reportSweeper.expire().catch(() => undefined);
      expect(await fixture.states([later])).toEqual(['undelivered']);
    });
    for (let more = true; more;) more = await worker.reportSweeper.expire();
    expect(new Set(await fixture.states(held))).toEqual(new Set(['undelivered']));
  });

  it('that are parked count before their delivery expires', async () => {
    const [id = '', silent = ''] = await sent(2);
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      VALUES (${provider.name}, ${`of-${id}`}, 'undelivered', 'dnd')`);
    await fixture.endValidity();
    await worker.reportSweeper.expire();
    expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect(await fixture.stored(silent)).toMatchObject({ state: 'expired', refunded: false });
    await fixture.expectCleanLedger();
  });

  it('with our reference end a delivery, even without a provider result', async () => {
    provider.onSubmit = ({ recipient }) =>
      recipient === '+2348031200001' ? accepted('') : new Error('socket hang up');
    const recipients = ['+2348031200001', '+2348031200002'];
    const { id, deliveries } = await fixture.accept(organisation, { recipients, callback: 'https://x.ng' });
    for (const each of deliveries) await worker.due(organisation, [each]);
    expect(await fixture.states(deliveries)).toEqual(['sent', 'submitting']);
    const reports = deliveries.map((reference) => ({ reference, state: 'delivered' }) as const);
    await worker.reports.receive('another provider', reports);
    expect(await fixture.states(deliveries)).toEqual(['sent', 'submitting']);
    await worker.reports.receive(provider.name, [
      ...reports,
      ...reports,
      { reference: 'x', state: 'delivered' },
    ]);
    expect(await fixture.states(deliveries)).toEqual(['delivered', 'delivered']);
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      ...['message.delivered', 'message.delivered', 'message.sent', 'message.sent'],
    ]);
  });

  it('with our reference are not lost while the result is being stored', async () => {
    const answer = new Pending<SubmitResult>();
    provider.onSubmit = () => answer.answer;
    const { deliveries } = await fixture.accept(organisation);
    const [reference = ''] = deliveries;
    const delivering = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.submitted.length === 1);
    const receiving = await fixture.database.transaction(async (transaction) => {
      await transaction.execute(
        sql`UPDATE delivery SET state = 'sent', next_attempt_at = now() + interval '1 day' WHERE id = ${reference}`,
      );
      const receive = worker.reports.receive(provider.name, [{ reference, state: 'delivered' }]);
      await fixture.untilLocked();
      return { receive };
    });
    await receiving.receive;
    answer.give(accepted(''));
    await delivering;
    expect(await fixture.states(deliveries)).toEqual(['delivered']);
  });

  it('with words that cannot be written down are heeded, by references that cannot be either', async () => {
    const [odd, long] = ['a\0b', 'x'.repeat(10_000)];
    for (const reference of [odd, long]) {
      provider.onSubmit = () => accepted(reference);
      const [id = ''] = await sent();
      const reason = { code: 'c\0'.repeat(1_000), message: '\ud800\0' };
      await worker.reports.receive(provider.name, [
        { providerReference: reference, state: 'undelivered', reason },
      ]);
      expect(await fixture.stored(id)).toMatchObject({ state: 'undelivered', refunded: false });
    }
  });

  it('for unknown references change nothing, and are removed after some days', async () => {
    const [id = ''] = await sent();
    await worker.reports.receive(provider.name, [{ providerReference: 'unknown', state: 'delivered' }]);
    await worker.reports.receive('another provider', [{ providerReference: `of-${id}`, state: 'delivered' }]);
    await worker.reports.receive(provider.name, [
      { providerReference: 'a\0b', state: 'delivered' },
      { providerReference: 'x'.repeat(10_000), state: 'delivered' },
    ]);
    expect(await fixture.stored(id)).toMatchObject({ state: 'sent' });
    await fixture.database.execute(sql`
      UPDATE parked_report SET received_at = now() - interval '4 days' WHERE provider_reference = 'unknown'`);
    await worker.reportSweeper.matchParked();
    expect([await parked('unknown'), await parked(`of-${id}`)]).toEqual([0, 1]);
  });

  it('of other organisations do not wait for a locked wallet; its own must be delivered again', async () => {
    const stranger = await fixture.organisation();
    const [own = ''] = await sent();
    const { deliveries } = await fixture.accept(stranger);
    await worker.due(stranger, deliveries);
    const reports = [own, ...deliveries].map(
      (id) => ({ providerReference: `of-${id}`, state: 'undelivered', reason: dnd }) as const,
    );
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await expect(worker.reports.receive(provider.name, reports)).rejects.toThrow();
      expect(await fixture.states(deliveries)).toEqual(['undelivered']);
    });
    await worker.reports.receive(provider.name, reports);
    expect(await fixture.states([own, ...deliveries])).toEqual(['undelivered', 'undelivered']);
    await fixture.expectCleanLedger();
  });

  it('that wait for a wallet do not delay the expiry of others', async () => {
    const stranger = await fixture.organisation();
    const [own = ''] = await sent();
    const { deliveries } = await fixture.accept(stranger);
    await worker.due(stranger, deliveries);
    await fixture.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      VALUES (${provider.name}, ${`of-${own}`}, 'undelivered', 'dnd')`);
    await fixture.endValidity();
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await expect(worker.reportSweeper.expire()).rejects.toThrow();
      expect(await fixture.states([own, ...deliveries])).toEqual(['sent', 'expired']);
    });
    await worker.sweep();
    expect(await fixture.stored(own)).toMatchObject({ state: 'undelivered', refunded: true });
    await fixture.expectCleanLedger();
  });
});
