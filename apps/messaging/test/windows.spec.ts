import type { SendSmsRequest } from '@gangan/contracts';
import { newContext, newId } from '@gangan/protocol';
import { aTemplate, anEndpoint, fuzzRuns } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IncomingHandlers } from '../src/inbox/incoming-handler.js';
import type { ReceivedMessage } from '../src/inbox/incoming-message.js';
import type { MessageProvider } from '../src/providers/message-provider.js';
import { simulatorName } from '../src/providers/message-provider.js';
import type { Providers } from '../src/providers/providers.js';
import { ConversationWindows } from '../src/windows/conversation-windows.js';
import { WindowRecorder } from '../src/windows/window-recorder.js';
import { WindowRetention } from '../src/windows/window-retention.js';
import { DeliveryFixture } from './support/delivery-fixture.js';
import type { DeliveryWorker } from './support/delivery-worker.js';
import { ScriptedProvider } from './support/scripted-provider.js';

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
    worker = fixture.worker({ named: [provider] });
  });

  /** As a message that was received so long ago is recorded. */
  const wrote = async (phone: string, hoursAgo: number, to: string = provider.name): Promise<void> => {
    await fixture.database.whatsAppWindow.create({
      data: { organisationId, provider: to, phone, receivedAt: new Date(Date.now() - hoursAgo * hour) },
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
    await wrote(ada, 1);
    const { id } = await send({ recipients: `${ada},${obi}` });
    await worker.idle();
    const types = (await fixture.callbacks(id)).map(({ type }) => type);
    expect(types.toSorted()).toEqual(['message.rejected', 'message.sent']);
  });

  it('refuses a message that nobody can get, and stores nothing', async () => {
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
    ['only another number received one', () => wrote(obi, 1, 'other')],
    ['somebody without a phone number has written', () => wrote('', 1)],
  ])('is left to the carrier if %s', async (_, before) => {
    await before();
    const { id } = await send({});
    await worker.idle();
    expect((await read(id)).map(({ status }) => status)).toEqual(['sent']);
  });

  it('does not concern templates and SMS', async () => {
    await wrote(obi, 1);
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

  it('is that of the organisation', async () => {
    await wrote(ada, 1);
    const theirs = await fixture.organisation();
    const context = newContext({ organisationId: theirs });
    expect((await send({ recipients: obi }, worker, context)).recipients).toEqual([obi]);
  });

  it('of the simulator is closed for one number, until it writes', async () => {
    const simulated = fixture.worker();
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

  it('is kept while it is open, and the newest of each number for good', async () => {
    const theirs = await fixture.organisation();
    await fixture.database.whatsAppWindow.deleteMany();
    await wrote(ada, 23);
    await wrote(obi, 25);
    await wrote(ife, 26, 'other');
    await wrote(obi, 800, 'other');
    await fixture.database.whatsAppWindow.create({
      data: { organisationId: theirs, provider: 'other', phone: ada, receivedAt: new Date(0) },
    });
    expect(await new WindowRetention(fixture.database).prune()).toBe(false);
    const left = await fixture.database.whatsAppWindow.findMany({ orderBy: { receivedAt: 'asc' } });
    expect(left).toMatchObject([
      { organisationId: theirs, phone: ada },
      { organisationId, provider: 'other', phone: ife },
      { organisationId, provider: provider.name, phone: ada },
    ]);
  });

  it('opens with each message that is received, and not for other organisations or channels', async () => {
    const number = '+15550783881';
    for (const channel of ['sms', 'whatsapp'] as const)
      await fixture.database.inboundNumber.create({ data: { channel, number, organisationId } });
    const recorder = new WindowRecorder(new IncomingHandlers());
    const { incoming } = fixture.worker({ handlers: [recorder] });
    const message = (change: Partial<ReceivedMessage>): ReceivedMessage => ({
      ...{ channel: 'whatsapp', from: ada, to: number, type: 'text', text: 'Hi', requestId: 'request' },
      reference: newId(),
      ...change,
    });
    const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * hour);
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

  it('is closed exactly if no provider of the route can know that it is open, or has never heard', async () => {
    const names = ['first', 'second', 'third'];
    const phones = [ada, obi, ife];
    const windows = fc.uniqueArray(
      fc.record({
        provider: fc.constantFrom(...names),
        phone: fc.constantFrom(...phones, ''),
        hoursAgo: fc.constantFrom(0, 12, 23, 25, 800),
      }),
      { selector: ({ provider, phone }) => provider + phone },
    );
    const rounds = fc.record({
      [ada]: fc.subarray(names),
      [obi]: fc.subarray(names),
      [ife]: fc.subarray(names),
    });
    await fc.assert(
      fc.asyncProperty(windows, rounds, async (stored, roundOf) => {
        organisationId = await fixture.organisation();
        for (const { provider: to, phone, hoursAgo } of stored) await wrote(phone, hoursAgo, to);
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
                ({ phone, hoursAgo }) => (phone === recipient || phone === '') && hoursAgo < 24,
              );
              return own.length > 0 && !isOpen;
            })
          );
        });
        expect([...closed]).toEqual(expected);
      }),
      { numRuns: fuzzRuns(60) },
    );
  });
});
