import { lockWallets } from '@gangan/billing';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const [listed, unlisted, heardOf] = ['+2348030000001', '+2348030000002', '+2348030000003'];
const heardByOne = '+2348030000004';
const start = 1_000_000n;

describe('recipients on the DND list', () => {
  const fixture = DeliveryFixture.use();
  beforeAll(async () => {
    await list(listed, 'active');
    await list(unlisted, 'loading');
  });

  const list = async (phone: string, state: 'active' | 'loading') => {
    const id = newId();
    await fixture.database.registryImport.create({
      data: { id, registry: 'dnd', mode: 'merge', state, source: 'test' },
    });
    await fixture.database.dndNumber.create({ data: { phone, importId: id } });
  };
  const hear = (phone: string, dnd: boolean, until: string, owner: string | null = null) =>
    fixture.database.execute(sql`
      INSERT INTO live_finding (phone, provider, organisation_id, dnd, dnd_until, kept_until)
      VALUES (${phone}, 'test', ${owner}::uuid, ${dnd}, now() + ${until}::interval, now() + interval '1 day')
      ON CONFLICT (phone) DO UPDATE SET dnd = excluded.dnd, dnd_until = excluded.dnd_until`);
  const organisation = async (asks: boolean) => {
    const id = await fixture.organisation(start);
    await fixture.database.execute(sql`
      UPDATE organisation SET settings = ${JSON.stringify({ sms: { default_category: asks ? 'promotional' : 'transactional' } })}::jsonb WHERE id = ${id}`);
    return id;
  };

  it('are rejected before a carrier is called, refunded and reported; other recipients are sent', async () => {
    const id = await organisation(true);
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const { id: message, deliveries } = await fixture.accept(id, {
      recipients: [listed, unlisted],
      callback: 'https://example.com/callbacks',
    });
    await worker.due(id, deliveries);
    expect(await fixture.states(deliveries)).toEqual(['rejected', 'sent']);
    expect(await fixture.stored(deliveries[0] ?? '')).toMatchObject({ refunded: true, code: 'dnd' });
    expect(provider.submitted.map(({ recipient }) => recipient)).toEqual([unlisted]);
    expect(await fixture.attempts(deliveries[0] ?? '')).toEqual([]);
    expect(await fixture.available(id)).toBe(start - price);
    const types = (await fixture.callbacks(message)).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['message.rejected', 'message.sent']);
    await fixture.expectCleanLedger();
  });

  it('do not delay others while the wallet for their refund is locked', async () => {
    const id = await organisation(true);
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const { deliveries } = await fixture.accept(id, { recipients: [listed, unlisted] });
    await fixture.database.transaction(async (transaction) => {
      await lockWallets(transaction, [id]);
      await worker.due(id, deliveries);
      expect(await fixture.states(deliveries)).toEqual(['queued', 'sent']);
    });
    await fixture.makeDue();
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual(['rejected', 'sent']);
    await fixture.expectCleanLedger();
  });

  it('get messages without the setting, on WhatsApp, and OTPs', async () => {
    const [indifferent, asking] = [await organisation(false), await organisation(true)];
    const provider = new ScriptedProvider();
    const worker = await fixture.worker({ named: [provider] });
    const plain = await fixture.accept(indifferent, { recipients: [listed] });
    const chat = await fixture.accept(asking, { recipients: [listed], channel: 'whatsapp' });
    const otp = await fixture.acceptOtp(asking, '1234', listed);
    await worker.due(indifferent, plain.deliveries);
    await worker.due(asking, chat.deliveries);
    await worker.due(asking, [otp], 'otp');
    expect(await fixture.states([...plain.deliveries, ...chat.deliveries, otp])).toEqual([
      'sent',
      'sent',
      'sent',
    ]);
  });

  it('are rejected according to the category of the message, if it has one', async () => {
    const id = await organisation(false);
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const send = async (category: 'transactional' | 'promotional') => {
      const request = { recipients: listed, content: 'Hello', category };
      const { id: message, deliveries } = await worker.accept(id, request);
      await worker.idle();
      await worker.due(id, deliveries);
      const found = await worker.messages.find({ id: message }, newContext({ organisationId: id }));
      return [found.category, ...(await fixture.states(deliveries))];
    };
    expect(await send('promotional')).toEqual(['promotional', 'rejected']);
    expect(await send('transactional')).toEqual(['transactional', 'sent']);
  });

  it('are taken from a recent live lookup, or else from the registry', async () => {
    const id = await organisation(true);
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    const states = async () => {
      const { deliveries } = await fixture.accept(id, { recipients: [listed, heardOf] });
      await worker.due(id, deliveries);
      return fixture.states(deliveries);
    };
    await hear(listed, false, '1 hour');
    await hear(heardOf, true, '1 hour');
    expect(await states()).toEqual(['sent', 'rejected']);
    await hear(listed, false, '-1 minute');
    await hear(heardOf, true, '-1 minute');
    expect(await states()).toEqual(['rejected', 'sent']);
  });

  it('that a provider of one organisation reports are rejected for this organisation only', async () => {
    const [owner, other] = [await organisation(true), await organisation(true)];
    const worker = await fixture.worker({ named: [new ScriptedProvider()] });
    await hear(heardByOne, true, '1 hour', owner);
    const states = await Promise.all(
      [owner, other].map(async (id) => {
        const { deliveries } = await fixture.accept(id, { recipients: [heardByOne] });
        await worker.due(id, deliveries);
        return fixture.states(deliveries);
      }),
    );
    expect(states).toEqual([['rejected'], ['sent']]);
  });

  it.each([
    ['not sent again after a crash, nor given back, when a carrier may have it', undefined, 'submitting'],
    ['rejected after a crash if no carrier accepted it', () => ({ kind: 'not_found' }) as const, 'rejected'],
  ])('are %s', async (_, onAsk, state) => {
    const id = await organisation(true);
    const provider = new ScriptedProvider('scripted', onAsk);
    const worker = await fixture.worker({ named: [provider] });
    const { deliveries } = await fixture.accept(id, { recipients: [listed] });
    await fixture.crash(deliveries, 'scripted');
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual([state]);
    expect(provider.submitted).toEqual([]);
    await fixture.endValidityOfOpen(deliveries);
    await worker.sweep();
    expect(await fixture.states(deliveries)).toEqual([state === 'submitting' ? 'expired' : state]);
    await fixture.expectCleanLedger();
  });
});
