import type { SendSmsRequest } from '@gangan/contracts';
import { Retention } from '@gangan/leases';
import { newContext, newId } from '@gangan/protocol';
import { aTemplate, anEndpoint, repetitions } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IncomingHandlers } from '../../src/inbox/incoming-handler.js';
import type { ReceivedMessage } from '../../src/inbox/incoming-message.js';
import type { MessageProvider } from '../../src/providers/message-provider.js';
import { simulatorName } from '../../src/providers/message-provider.js';
import type { Providers } from '../../src/providers/providers.js';
import { ConversationWindows } from '../../src/windows/conversation-windows.js';
import { WindowRecorder } from '../../src/windows/window-recorder.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker } from '../support/delivery-worker.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const [ada, obi, ife] = ['+2348031234567', '+2348031234568', '+2348031234569'];
const closedAtSimulator = '+2347000000008';
const hour = 3_600_000;
const reason = {
  code: 'window_closed',
  message: 'The recipient has not written within 24 hours: only templates can be sent',
};
const allClosed = {
  status: 400,
  fields: [
    { field: 'recipients', type: 'window_closed', message: expect.stringContaining('send a template') },
  ],
};

describe('the window of WhatsApp', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let provider: ScriptedProvider;
  let worker: DeliveryWorker;
  beforeEach(async () => {
    organisationId = await fixture.organisation();
    provider = new ScriptedProvider();
    worker = await fixture.worker({ named: [provider] });
  });

  const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * hour);
  /** As a message that was received so long ago is recorded. */
  const wrote = async (phone: string, hours: number, to: string = provider.name): Promise<void> => {
    await fixture.database.whatsAppWindow.create({
      data: { organisationId, provider: to, phone, receivedAt: hoursAgo(hours) },
    });
  };
  /** The provider has brought messages in this time. */
  const receives = async (first = 100, last = 0, to: string = provider.name): Promise<void> => {
    const [firstReceivedAt, lastReceivedAt] = [hoursAgo(first), hoursAgo(last)];
    const data = { organisationId, provider: to, firstReceivedAt, lastReceivedAt };
    await fixture.database.whatsAppReceiver.upsert({
      where: { organisationId_provider: { organisationId, provider: to } },
      create: data,
      update: data,
    });
  };
  const send = (request: Partial<SendSmsRequest>, by = worker, context = newContext({ organisationId })) =>
    by.messages.send({ recipients: ada, channel: 'whatsapp', content: 'Hello', ...request }, context);
  const read = async (id: string, by = worker) => {
    const found = await by.messages.find({ id }, newContext({ organisationId }));
    return found.deliveries.map(({ recipient, status, error, charge, refunded }) => ({
      ...{ recipient, status, error, charge, refunded },
    }));
  };
  const rejected = (recipient: string) => ({
    ...{ recipient, status: 'rejected', error: reason, charge: 0, refunded: false },
  });

  it('rejects recipients who have not written in time, uncharged, and sends to the others', async () => {
    await receives();
    await wrote(ada, 23.9);
    await wrote(obi, 24.1);
    const before = await fixture.available(organisationId);
    const context = newContext({ organisationId });
    const recipients = `${obi}, ${ada}, ${ife}`;
    const callback = 'https://acme.example/';
    const sent = await send({ recipients, callback, external_ref: 'order-17' }, worker, context);
    await worker.idle();
    const own = sent.meta.estimate.charge;
    expect(sent.recipients).toEqual([obi, ada, ife]);
    expect(before - (await fixture.available(organisationId))).toBe(BigInt(own * 100));
    expect(provider.submitted.flat().map(({ recipient }) => recipient)).toEqual([ada]);
    expect(await read(sent.id)).toEqual([
      rejected(obi),
      { recipient: ada, status: 'sent', error: undefined, charge: own, refunded: false },
      rejected(ife),
    ]);
    const callbacks = (await fixture.callbacks(sent.id)).map(({ body }) => JSON.parse(body) as object);
    const reported = callbacks.filter((body) => (body as { type: string }).type === 'message.rejected');
    expect(reported).toHaveLength(2);
    expect(reported).toContainEqual({
      type: 'message.rejected',
      timestamp: sent.created_datetime,
      data: {
        id: sent.id,
        delivery_id: expect.any(String),
        channel: 'whatsapp',
        recipient: obi,
        status: 'rejected',
        reason,
        external_ref: 'order-17',
        created_datetime: sent.created_datetime,
        updated_datetime: sent.created_datetime,
      },
    });
    // The queue runs the request again, and the window has opened meanwhile.
    await wrote(ife, 0);
    expect(await send({ recipients, callback }, worker, context)).toEqual(sent);
    await worker.idle();
    expect((await read(sent.id)).map(({ status }) => status)).toEqual(['rejected', 'sent', 'rejected']);
    expect(await fixture.callbacks(sent.id)).toHaveLength(callbacks.length);
    await fixture.expectCleanLedger();
  });

  it('reports rejected recipients to endpoints', async () => {
    await anEndpoint(fixture.database, organisationId, { events: ['message.rejected'] });
    await anEndpoint(fixture.database, organisationId, { events: ['message.sent'] });
    await receives();
    await wrote(ada, 1);
    const { id } = await send({ recipients: `${ada},${obi}` });
    await worker.idle();
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['message.rejected', 'message.sent']);
  });

  it('rejects a message that no recipient can get, and stores nothing', async () => {
    await receives();
    await wrote(ada, 1);
    const before = await fixture.available(organisationId);
    const context = newContext({ organisationId });
    await expect(send({ recipients: `${obi},${ife}` }, worker, context)).rejects.toMatchObject(allClosed);
    expect(await fixture.available(organisationId)).toBe(before);
    expect(await fixture.database.message.count({ where: { organisationId } })).toBe(0);
    expect(await fixture.callbacks(context.operationId)).toEqual([]);
  });

  it.each([
    ['no message was ever routed to the organisation', () => Promise.resolve()],
    ['only another number receives messages', () => receives(100, 0, 'other')],
    ['the number has received messages for less than 24 hours', () => receives(23.9)],
    ['the number has received none for 7 days', () => receives(1_000, 7 * 24 + 0.1)],
    ['somebody without a phone number has written', () => receives().then(() => wrote('', 1))],
  ])('lets the carrier decide if %s', async (_, before) => {
    await wrote(obi, 1);
    await before();
    const { id } = await send({});
    await worker.idle();
    expect((await read(id)).map(({ status }) => status)).toEqual(['sent']);
  });

  it.each([
    [24.1, 0],
    [1_000, 7 * 24 - 0.1],
  ])('counts if the number has received messages from %d hours ago to %d hours ago', async (first, last) => {
    await receives(first, last);
    await expect(send({})).rejects.toMatchObject(allClosed);
  });

  it('does not apply to templates and SMS', async () => {
    await receives();
    const language = 'en_US';
    const template = { channel: 'whatsapp' as const, body: 'Hello', providerName: 'hello', language };
    const templateId = await aTemplate(fixture.database, organisationId, template);
    // In test mode, a template that does not exist is accepted.
    for (const request of [
      { template_id: templateId },
      { template_id: 'hello' },
      { channel: 'sms' as const },
    ])
      expect((await send(request)).recipients).toEqual([ada]);
  });

  it('belongs to one organisation', async () => {
    await receives();
    const theirs = await fixture.organisation();
    const context = newContext({ organisationId: theirs });
    expect((await send({ recipients: obi }, worker, context)).recipients).toEqual([obi]);
  });

  it('of the simulator is closed for one number, until it writes', async () => {
    const simulated = await fixture.worker();
    await expect(send({ recipients: closedAtSimulator }, simulated)).rejects.toMatchObject(allClosed);
    const { id } = await send({ recipients: `${closedAtSimulator},${ada}` }, simulated);
    expect(await read(id, simulated)).toMatchObject([rejected(closedAtSimulator), { recipient: ada }]);
    await send({ recipients: closedAtSimulator, template_id: 'hello' }, simulated);
    await send({ recipients: closedAtSimulator, channel: 'sms' }, simulated);
    await wrote(closedAtSimulator, 1, simulatorName);
    await send({ recipients: closedAtSimulator }, simulated);
    await fixture.database.whatsAppWindow.updateMany({
      where: { organisationId },
      data: { receivedAt: new Date(Date.now() - 25 * hour) },
    });
    await expect(send({ recipients: closedAtSimulator }, simulated)).rejects.toMatchObject(allClosed);
    expect((await send({ recipients: ada }, simulated)).recipients).toEqual([ada]);
  });

  it('is kept while it is open, and a number for 7 days after its last message', async () => {
    await wrote(ada, 23);
    await wrote(obi, 25);
    await wrote(ife, 26, 'other');
    await receives(800, 7 * 24 - 1);
    await receives(800, 7 * 24 + 1, 'other');
    expect(await worker.get(Retention).prune()).toBe(false);
    const where = { organisationId };
    expect(await fixture.database.whatsAppWindow.findMany({ where })).toMatchObject([{ phone: ada }]);
    expect(await fixture.database.whatsAppReceiver.findMany({ where })).toMatchObject([
      { provider: provider.name },
    ]);
  });

  it('is known 24 hours after the first message, and starts again after a long silence', async () => {
    const number = '+15550783882';
    await fixture.database.inboundNumber.create({ data: { channel: 'whatsapp', number, organisationId } });
    const { incoming } = await fixture.worker({ handlers: [new WindowRecorder(new IncomingHandlers())] });
    const from = async (phone: string): Promise<void> => {
      await incoming.receive(provider.name, [
        {
          ...{
            channel: 'whatsapp',
            from: phone,
            to: number,
            type: 'text',
            arrivedAt: new Date(),
            requestId: 'request',
          },
          ...{ reference: newId(), sentAt: hoursAgo(30) },
        },
      ]);
    };
    const known = async () => {
      const rows = await fixture.database.whatsAppReceiver.findMany({ where: { organisationId } });
      return rows.map(({ provider: name, firstReceivedAt, lastReceivedAt }) => [
        name,
        ...[firstReceivedAt, lastReceivedAt].map((at) => Math.round((Date.now() - at.getTime()) / hour)),
      ]);
    };
    await from(obi);
    expect(await known()).toEqual([[provider.name, 0, 0]]);
    expect((await send({})).recipients).toEqual([ada]);
    await receives(30, 6 * 24);
    await from(obi);
    expect(await known()).toEqual([[provider.name, 30, 0]]);
    await expect(send({})).rejects.toMatchObject(allClosed);
    await receives(1_000, 8 * 24);
    await from(obi);
    expect(await known()).toEqual([[provider.name, 0, 0]]);
    expect((await send({})).recipients).toEqual([ada]);
    // Not written again at once.
    await receives(30, 0.9);
    await from(obi);
    expect(await known()).toEqual([[provider.name, 30, 1]]);
  });

  it('opens with each message that is received, and not for other organisations or channels', async () => {
    const number = '+15550783881';
    for (const channel of ['sms', 'whatsapp'] as const)
      await fixture.database.inboundNumber.create({ data: { channel, number, organisationId } });
    const recorder = new WindowRecorder(new IncomingHandlers());
    const { incoming } = await fixture.worker({ handlers: [recorder] });
    const message = (change: Partial<ReceivedMessage>): ReceivedMessage => ({
      ...{
        channel: 'whatsapp',
        from: ada,
        to: number,
        type: 'text',
        text: 'Hi',
        arrivedAt: new Date(),
        requestId: 'request',
      },
      reference: newId(),
      ...change,
    });
    const stored = async () => {
      const rows = await fixture.database.whatsAppWindow.findMany({ where: { organisationId } });
      return Object.fromEntries(
        rows.map(({ phone, provider: to, receivedAt }) => [
          `${to} ${phone}`,
          Math.round((Date.now() - receivedAt.getTime()) / hour),
        ]),
      );
    };
    await incoming.receive(provider.name, [
      message({ sentAt: hoursAgo(3) }),
      message({ sentAt: hoursAgo(5) }),
      message({ from: obi, sentAt: hoursAgo(-7) }),
      message({ from: ife, channel: 'sms' }),
    ]);
    expect(await stored()).toEqual({ [`${provider.name} ${ada}`]: 3, [`${provider.name} ${obi}`]: 0 });
    await receives();
    await expect(send({ recipients: ife })).rejects.toMatchObject(allClosed);
    // Late, without a phone number, and at another number.
    await incoming.receive(provider.name, [
      message({ sentAt: hoursAgo(9) }),
      message({ from: 'NG.13491208655302741918' }),
    ]);
    await incoming.receive('other', [message({})]);
    expect(await stored()).toEqual({
      ...{ [`${provider.name} ${ada}`]: 3, [`${provider.name} ${obi}`]: 0 },
      ...{ [`${provider.name} `]: 0, [`other ${ada}`]: 0 },
    });
    expect((await send({ recipients: ife })).recipients).toEqual([ife]);
    // A message that is removed leaves the window open.
    await fixture.database.whatsAppWindow.deleteMany({ where: { phone: '' } });
    await fixture.database.incomingMessage.deleteMany();
    expect((await send({ recipients: ada })).recipients).toEqual([ada]);
  });

  it('is closed exactly if it is known to be closed at every provider of the route', async () => {
    const names = ['first', 'second', 'third'];
    const phones = [ada, obi, ife];
    const windows = fc.uniqueArray(
      fc.record({
        provider: fc.constantFrom(...names),
        phone: fc.constantFrom(...phones, ''),
        hours: fc.constantFrom(0, 12, 23, 25, 800),
      }),
      { selector: ({ provider, phone }) => provider + phone },
    );
    const receivers = fc.record({
      first: fc.constantFrom('unknown', 'new', 'known', 'silent'),
      second: fc.constantFrom('unknown', 'known'),
      third: fc.constantFrom('new', 'known', 'silent'),
    });
    const spans = new Map([
      ['new', [23, 1]],
      ['known', [25, 1]],
      ['silent', [800, 169]],
    ]);
    const rounds = fc.record({
      [ada]: fc.subarray(names),
      [obi]: fc.subarray(names),
      [ife]: fc.subarray(names),
    });
    await fc.assert(
      fc.asyncProperty(windows, receivers, rounds, async (stored, states, roundOf) => {
        organisationId = await fixture.organisation();
        for (const { provider: to, phone, hours } of stored) await wrote(phone, hours, to);
        const known = new Map(Object.entries(states));
        for (const [to, state] of known) {
          const [first, last] = spans.get(state) ?? [];
          if (first !== undefined) await receives(first, last, to);
        }
        const providers = {
          findPorted: () => Promise.resolve(new Map()),
          routeFor: ({ recipient }: { recipient: string }) => ({
            id: null,
            round: (roundOf[recipient] ?? []).map((name) => ({ name }) as MessageProvider),
          }),
        } as unknown as Providers;
        const message = {
          organisationId,
          mode: 'live',
          channel: 'whatsapp',
          sender: 'Acme',
          category: 'transactional',
          hasTemplate: false,
        } as const;
        const deliveries = phones.map((recipient) => ({ id: recipient, recipient }));
        const closed = await new ConversationWindows(fixture.database, providers).findClosed(
          message,
          deliveries,
        );
        const expected = deliveries.filter(({ recipient }) => {
          const round = roundOf[recipient] ?? [];
          return (
            round.length > 0 &&
            round.every((name) => {
              const own = stored.filter(({ provider: to }) => to === name);
              const isOpen = own.some(
                ({ phone, hours }) => (phone === recipient || phone === '') && hours < 24,
              );
              return known.get(name) === 'known' && !isOpen;
            })
          );
        });
        expect([...closed]).toEqual(expected);
      }),
      { numRuns: repetitions(12, 60) },
    );
  });
});
