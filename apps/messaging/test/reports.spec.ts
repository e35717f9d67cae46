import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { lockWallets } from '@gangan/billing';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { Mailroom, price } from './support/mailroom.js';
import { accepted, Pending, ScriptedProvider } from './support/scripted-provider.js';
import type { Answer } from '../src/providers/message-provider.js';

const dnd = { code: 'dnd', message: 'DND' };
const absent = { code: 'absent', message: 'Switched off' };

describe('reports', () => {
  let mailroom: Mailroom;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  let organisation: string;
  beforeAll(async () => {
    mailroom = await Mailroom.open();
    organisation = await mailroom.organisation();
  }, 60_000);
  afterAll(() => mailroom.close());
  beforeEach(() => {
    provider = new ScriptedProvider();
    worker = mailroom.worker({ named: [provider] });
  });

  const sent = async (count = 1): Promise<string[]> => {
    const recipients = Array.from({ length: count }, (_, place) => `+23480312${10_000 + place}`);
    const { deliveries } = await mailroom.accept(organisation, { recipients });
    await worker.due(organisation, deliveries);
    return deliveries;
  };
  const parked = async (reference: string): Promise<number> =>
    (await mailroom.database.query(sql`SELECT FROM parked_report WHERE provider_reference = ${reference}`))
      .length;

  it('end many deliveries at once, and give back only what was kept from its recipient for a good reason', async () => {
    const [one = '', two = '', three = '', four = ''] = await sent(4);
    const before = await mailroom.available(organisation);
    await worker.reports.receive(provider.name, [
      { providerReference: `of-${one}`, state: 'delivered' },
      { providerReference: `of-${two}`, state: 'undelivered', reason: dnd },
      { providerReference: `of-${three}`, state: 'undelivered', reason: absent },
      { providerReference: `of-${four}`, state: 'sent' },
    ]);
    expect(await mailroom.states([one, two, three, four])).toEqual([
      ...['delivered', 'undelivered', 'undelivered', 'sent'],
    ]);
    expect((await mailroom.available(organisation)) - before).toBe(price);
    expect(await mailroom.stored(two)).toMatchObject({ refunded: true, code: 'dnd' });
    expect(await mailroom.stored(three)).toMatchObject({ refunded: false, code: 'absent' });
    await mailroom.expectSoundLedger();
  });

  it('count once, in whatever order they come, and never after the end', async () => {
    const [id = ''] = await sent();
    const before = await mailroom.available(organisation);
    const undelivered = { providerReference: `of-${id}`, state: 'undelivered', reason: dnd } as const;
    const delivered = { providerReference: `of-${id}`, state: 'delivered' } as const;
    await Promise.all(
      Array.from({ length: 10 }, () => worker.reports.receive(provider.name, [undelivered, undelivered])),
    );
    await worker.reports.receive(provider.name, [delivered, { ...delivered, state: 'sent' }]);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect((await mailroom.available(organisation)) - before).toBe(price);
    await mailroom.expectSoundLedger();
  });

  it('that come before the answer are parked, once, and heeded when the answer comes', async () => {
    const answer = new Pending<Answer>();
    provider.onSubmit = () => answer.answer;
    const { deliveries } = await mailroom.accept(organisation);
    const reference = newId();
    const delivering = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.told.length === 1);
    const early = { providerReference: reference, state: 'delivered' } as const;
    await worker.reports.receive(provider.name, [early, early]);
    await worker.reports.receive(provider.name, [early]);
    expect(await parked(reference)).toBe(1);
    answer.give(accepted(reference));
    await delivering;
    expect(await mailroom.states(deliveries)).toEqual(['delivered']);
    expect(await parked(reference)).toBe(0);
  });

  it('that cross with the answer are never lost', async () => {
    for (let round = 0; round < 15; round += 1) {
      const { deliveries } = await mailroom.accept(organisation);
      const reference = newId();
      provider.onSubmit = () => accepted(reference);
      await Promise.all([
        worker.due(organisation, deliveries),
        until('the provider is called', () => provider.told.length > round).then(() =>
          worker.reports.receive(provider.name, [{ providerReference: reference, state: 'delivered' }]),
        ),
      ]);
      expect(await mailroom.states(deliveries)).toEqual(['delivered']);
    }
  });

  it('whose worker died before they were matched are matched later', async () => {
    const [id = ''] = await sent();
    await mailroom.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      VALUES (${provider.name}, ${`of-${id}`}, 'delivered', now() - interval '1 minute')`);
    await worker.sweeper.tidy();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'delivered' });
  });

  it('that were parked long ago behind many others are matched all the same', async () => {
    const [id = ''] = await sent();
    await mailroom.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      SELECT ${provider.name}, 'stranger-' || n, 'delivered', now() - interval '2 days' FROM generate_series(1, 2500) n`);
    await mailroom.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, received_at)
      VALUES (${provider.name}, ${`of-${id}`}, 'delivered', now() - interval '1 day')`);
    await worker.sweeper.tidy();
    await worker.sweeper.tidy();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'delivered' });
    expect(await parked(`of-${id}`)).toBe(0);
  });

  it('that are parked count before their delivery expires', async () => {
    const [id = '', silent = ''] = await sent(2);
    await mailroom.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      VALUES (${provider.name}, ${`of-${id}`}, 'undelivered', 'dnd')`);
    await mailroom.passValidity();
    await worker.sweeper.expire();
    expect(await mailroom.stored(id)).toMatchObject({ state: 'undelivered', refunded: true });
    expect(await mailroom.stored(silent)).toMatchObject({ state: 'expired', refunded: false });
    await mailroom.expectSoundLedger();
  });

  it('that name a delivery as we do end it, even one whose answer never came', async () => {
    provider.onSubmit = ({ recipient }) =>
      recipient === '+2348031200001' ? accepted('') : new Error('socket hang up');
    const recipients = ['+2348031200001', '+2348031200002'];
    const { id, deliveries } = await mailroom.accept(organisation, { recipients, callback: 'https://x.ng' });
    for (const each of deliveries) await worker.due(organisation, [each]);
    expect(await mailroom.states(deliveries)).toEqual(['sent', 'submitting']);
    const reports = deliveries.map((reference) => ({ reference, state: 'delivered' }) as const);
    await worker.reports.receive('somebody else', reports);
    expect(await mailroom.states(deliveries)).toEqual(['sent', 'submitting']);
    await worker.reports.receive(provider.name, [
      ...reports,
      ...reports,
      { reference: 'x', state: 'delivered' },
    ]);
    expect(await mailroom.states(deliveries)).toEqual(['delivered', 'delivered']);
    const types = (await mailroom.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual([
      ...['message.delivered', 'message.delivered', 'message.sent', 'message.sent'],
    ]);
  });

  it('that name a delivery as we do while its answer is written down are not lost', async () => {
    const answer = new Pending<Answer>();
    provider.onSubmit = () => answer.answer;
    const { deliveries } = await mailroom.accept(organisation);
    const [reference = ''] = deliveries;
    const delivering = worker.due(organisation, deliveries);
    await until('the provider is called', () => provider.told.length === 1);
    const receiving = await mailroom.database.transaction(async (transaction) => {
      await transaction.execute(
        sql`UPDATE delivery SET state = 'sent', next_attempt_at = now() + interval '1 day' WHERE id = ${reference}`,
      );
      const receive = worker.reports.receive(provider.name, [{ reference, state: 'delivered' }]);
      await mailroom.untilLocked();
      return { receive };
    });
    await receiving.receive;
    answer.give(accepted(''));
    await delivering;
    expect(await mailroom.states(deliveries)).toEqual(['delivered']);
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
      expect(await mailroom.stored(id)).toMatchObject({ state: 'undelivered', refunded: false });
    }
  });

  it('for what nobody knows change nothing, and are forgotten after some days', async () => {
    const [id = ''] = await sent();
    await worker.reports.receive(provider.name, [{ providerReference: 'nobody', state: 'delivered' }]);
    await worker.reports.receive('somebody else', [{ providerReference: `of-${id}`, state: 'delivered' }]);
    await worker.reports.receive(provider.name, [
      { providerReference: 'a\0b', state: 'delivered' },
      { providerReference: 'x'.repeat(10_000), state: 'delivered' },
    ]);
    expect(await mailroom.stored(id)).toMatchObject({ state: 'sent' });
    await mailroom.database.execute(sql`
      UPDATE parked_report SET received_at = now() - interval '4 days' WHERE provider_reference = 'nobody'`);
    await worker.sweeper.tidy();
    expect([await parked('nobody'), await parked(`of-${id}`)]).toEqual([0, 1]);
  });

  it('of strangers do not wait for a wallet that stays locked, and its own are brought again', async () => {
    const stranger = await mailroom.organisation();
    const [own = ''] = await sent();
    const { deliveries } = await mailroom.accept(stranger);
    await worker.due(stranger, deliveries);
    const reports = [own, ...deliveries].map(
      (id) => ({ providerReference: `of-${id}`, state: 'undelivered', reason: dnd }) as const,
    );
    await mailroom.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await expect(worker.reports.receive(provider.name, reports)).rejects.toThrow();
      expect(await mailroom.states(deliveries)).toEqual(['undelivered']);
    });
    await worker.reports.receive(provider.name, reports);
    expect(await mailroom.states([own, ...deliveries])).toEqual(['undelivered', 'undelivered']);
    await mailroom.expectSoundLedger();
  });

  it('that wait for a wallet keep nobody else from expiring', async () => {
    const stranger = await mailroom.organisation();
    const [own = ''] = await sent();
    const { deliveries } = await mailroom.accept(stranger);
    await worker.due(stranger, deliveries);
    await mailroom.database.execute(sql`
      INSERT INTO parked_report (provider, provider_reference, state, error_code)
      VALUES (${provider.name}, ${`of-${own}`}, 'undelivered', 'dnd')`);
    await mailroom.passValidity();
    await mailroom.database.transaction(async (transaction) => {
      await lockWallets(transaction, [organisation]);
      await expect(worker.sweeper.expire()).rejects.toThrow();
      expect(await mailroom.states([own, ...deliveries])).toEqual(['sent', 'expired']);
    });
    await worker.sweep();
    expect(await mailroom.stored(own)).toMatchObject({ state: 'undelivered', refunded: true });
    await mailroom.expectSoundLedger();
  });
});
