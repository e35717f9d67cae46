import type { ListInboxRequest } from '@gangan/contracts';
import { type Channel, sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { BatchScope, firstIdAt, newContext, newId, runInContext } from '@gangan/protocol';
import { anEndpoint } from '@gangan/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { InboxRepository } from '../../src/inbox/inbox.repository.js';
import { InboxService } from '../../src/inbox/inbox.service.js';
import type { IncomingHandler } from '../../src/inbox/incoming-handler.js';
import type { IncomingMessage, ReceivedMessage } from '../../src/inbox/incoming-message.js';
import { StoredTexts } from '../../src/text/stored-texts.js';
import { DeliveryFixture } from '../support/delivery-fixture.js';
import type { DeliveryWorker, WorkerOptions } from '../support/delivery-worker.js';

const number = '+2348001234567';
const text = 'Please call me, Bartholomew';

describe('incoming messages', () => {
  const fixture = DeliveryFixture.use();
  let organisation: string;
  let other: string;
  beforeAll(async () => {
    organisation = await fixture.organisation();
    other = await fixture.organisation();
    await assign(number);
    await assign('22345');
    await assign('+15550783881', { channel: 'whatsapp' });
    await anEndpoint(fixture.database, organisation, { events: ['message.received', 'message.sent'] });
    await anEndpoint(fixture.database, organisation, { events: ['message.sent'] });
    await anEndpoint(fixture.database, organisation, { enabled: false });
  });
  beforeEach(() => {
    references = 0;
  });
  afterEach(() => fixture.database.execute(sql`TRUNCATE incoming_message, callback CASCADE`));

  const assign = (
    own: string,
    { channel = 'sms', provider = null, organisationId = organisation }: Partial<Assigned> = {},
  ) => fixture.database.inboundNumber.create({ data: { channel, number: own, provider, organisationId } });
  let references: number;
  const message = (change: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
    channel: 'sms',
    from: '08031234567',
    to: '2348001234567',
    type: 'text',
    text,
    reference: `reference ${(references += 1)}`,
    arrivedAt: new Date(),
    requestId: 'request-1',
    ...change,
  });
  const receive = async (
    messages: readonly ReceivedMessage[],
    options: WorkerOptions = {},
    provider = 'carrier',
  ) => (await fixture.worker(options)).incoming.receive(provider, messages);
  const stored = () => fixture.database.incomingMessage.findMany({ orderBy: { id: 'asc' } });
  const callbacks = () => fixture.database.callback.findMany({ orderBy: { id: 'asc' } });

  it('are stored for the organisation that has the number, and sent to its endpoints', async () => {
    const sentAt = new Date('2026-11-17T09:00:00Z');
    const { unassigned } = await receive([message({ sentAt })]);
    expect(unassigned).toEqual([]);
    const [row] = await stored();
    expect(row).toMatchObject({
      organisationId: organisation,
      ...{ channel: 'sms', number, sender: '+2348031234567', type: 'text', text, sealedText: null, sentAt },
      ...{ provider: 'carrier', providerReference: 'reference 1' },
    });
    const sent = await callbacks();
    expect(sent).toMatchObject([
      { type: 'message.received', resourceId: row?.id, requestId: 'request-1', sealedBody: null },
    ]);
    expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
      type: 'message.received',
      timestamp: expect.any(String),
      data: {
        id: row?.id,
        channel: 'sms',
        number,
        sender: '+2348031234567',
        type: 'text',
        text,
        sent_datetime: '2026-11-17T09:00:00.000000+00:00',
        received_datetime: expect.any(String),
      },
    });
    expect(fixture.output.callbacks).toContain(sent[0]?.id);
  });

  it('that arrive several times, also at once at several workers, are stored and sent once', async () => {
    const batch = Array.from({ length: 20 }, () => message());
    const shuffled = [batch, batch.toReversed(), [...batch.slice(7), ...batch.slice(0, 7)], batch.slice(3)];
    const results = await Promise.all(shuffled.map((some) => receive([...some, ...some])));
    expect(results.flatMap((one) => one.stored)).toHaveLength(20);
    expect(await stored()).toHaveLength(20);
    expect(await callbacks()).toHaveLength(20);
    // Another provider has its own references.
    expect((await receive([batch[0] ?? message()], {}, 'other')).stored).toHaveLength(1);
  });

  it('to numbers that belong to no organisation are not stored', async () => {
    const unknown = [message({ to: '+2348009999999' }), message({ to: '99' }), message({ to: 'Acme' })];
    const onOtherChannel = message({ channel: 'whatsapp' });
    const known = [message(), message({ to: '22345' }), message({ channel: 'whatsapp', to: '+15550783881' })];
    const result = await receive([...unknown, ...known, onOtherChannel]);
    expect(result.unassigned).toEqual([...unknown, onOtherChannel]);
    expect(result.stored.map((one) => one.number)).toEqual([number, '22345', '+15550783881']);
  });

  it('are not taken from the providers of other organisations', async () => {
    await fixture.database.provider.create({
      data: {
        ...{ id: newId(), name: 'of-other', kind: 'http', organisationId: other },
        ...{ domains: ['message'], channels: ['sms'], settings: {} },
      },
    });
    await assign('33445', { provider: 'carrier' });
    expect((await receive([message()], {}, 'of-other')).unassigned).toHaveLength(1);
    expect((await receive([message({ to: '33445' })], {}, 'other')).unassigned).toHaveLength(1);
    expect((await receive([message({ to: '33445' })])).stored).toHaveLength(1);
  });

  it('of senders without a phone number keep what identifies them, and are bounded', async () => {
    const user = message({ from: 'NG.1234567890123456', type: 'image', text: undefined });
    const long = message({
      from: `x\u0000${'y'.repeat(500)}`,
      type: 't'.repeat(99),
      text: '😀'.repeat(5_000),
    });
    const odd = message({ from: '\ud800', type: '', text: 'a\u0000b\udfff', reference: 'r'.repeat(999) });
    await receive([user, long, odd]);
    expect(await stored()).toMatchObject([
      { sender: 'NG.1234567890123456', type: 'image', text: null },
      { sender: `x${'y'.repeat(127)}`, type: 't'.repeat(32), text: '😀'.repeat(4_096) },
      {
        sender: '\ufffd',
        type: 'unknown',
        text: 'ab\ufffd',
        providerReference: expect.stringMatching(/^sha256:/),
      },
    ]);
  });

  it('are sealed with SEAL_MESSAGES, in callbacks too', async () => {
    await receive([message()], { sealsMessages: true });
    const [row] = await stored();
    const [callback] = await callbacks();
    expect(row).toMatchObject({ text: null, sealedText: expect.anything() });
    expect(JSON.stringify([row, callback])).not.toContain('Bartholomew');
    expect(JSON.parse(callback?.body ?? '')).toMatchObject({
      type: 'message.received',
      data: { id: row?.id },
    });
    expect(row && (await fixture.worker()).get(StoredTexts).openIncoming(row as never)).toBe(text);
    const rows = await fixture.database.query<{ found: boolean }>(sql`
      SELECT encode(sealed_body, 'escape') LIKE '%Bartholomew%' AS found FROM callback`);
    expect(rows).toEqual([{ found: false }]);
  });

  it('are handled in the transaction that stores them, once', async () => {
    const handled: IncomingMessage[] = [];
    const afterwards: number[] = [];
    let fails = true;
    const handler: IncomingHandler = {
      handle: async (transaction, messages) => {
        const rows = await transaction.query(sql`SELECT FROM incoming_message`);
        expect(rows).toHaveLength(messages.length);
        if (fails) throw new Error('The handler fails');
        handled.push(...messages);
        return () => void afterwards.push(messages.length);
      },
    };
    const batch = [message(), message()];
    await expect(receive(batch, { handlers: [handler] })).rejects.toThrow('The handler fails');
    expect(await stored()).toEqual([]);
    expect(await callbacks()).toEqual([]);
    fails = false;
    await receive([...batch, message({ to: '404' })], { handlers: [handler] });
    await receive(batch, { handlers: [handler] });
    expect(handled.map(({ providerReference }) => providerReference)).toEqual(['reference 1', 'reference 2']);
    expect(afterwards).toEqual([2]);
  });

  it('for a given organisation need no assigned number', async () => {
    const { stored: found } = await receive([message({ to: '+2348007654321', organisationId: other })]);
    expect(found).toMatchObject([{ organisationId: other, number: '+2348007654321' }]);
    expect(await callbacks()).toEqual([]);
  });

  describe('are read', () => {
    let worker: DeliveryWorker;
    beforeAll(async () => {
      worker = await fixture.worker();
    });
    const inbox = () => worker.get(InboxService);
    const mine = () => newContext({ organisationId: organisation });
    const list = async (request: ListInboxRequest = {}) => (await inbox().list(request, mine())).messages;

    it('newest first and page by page, each once', async () => {
      await receive(Array.from({ length: 7 }, (_, index) => message({ text: `text ${index}` })));
      const pages: string[] = [];
      let before: string | undefined;
      do {
        const page = await inbox().list({ limit: 3, ...(before !== undefined && { before }) }, mine());
        pages.push(page.messages.map(({ text: shown }) => shown?.slice(-1)).join(''));
        before = page.meta.pagination.next;
      } while (before !== undefined);
      expect(pages).toEqual(['654', '321', '0']);
    });

    it('by number, sender, channel and time', async () => {
      await receive([
        message({ text: 'a' }),
        message({ text: 'b', to: '22345', from: '+2348039999999' }),
        message({ text: 'c', channel: 'whatsapp', to: '+15550783881', from: 'NG.12' }),
      ]);
      const texts = async (request: ListInboxRequest) =>
        (await list(request)).map((one) => one.text).join('');
      expect(await texts({ number: '0800 123 4567' })).toBe('a');
      expect(await texts({ number: '22345' })).toBe('b');
      expect(await texts({ sender: '08039999999' })).toBe('b');
      expect(await texts({ sender: 'NG.12' })).toBe('c');
      expect(await texts({ channel: 'sms' })).toBe('ba');
      expect(await texts({ channel: 'sms', number: '22345', sender: '08031234567' })).toBe('');
      const [newest] = await stored();
      const at = newest?.receivedAt.getTime() ?? 0;
      expect(await texts({ since: new Date(at - 1_000).toISOString() })).toBe('cba');
      expect(await texts({ since: new Date(at + 60_000).toISOString() })).toBe('');
      expect(await texts({ until: new Date(at).toISOString() })).toBe('');
    });

    it('by id, only by their organisation, also if they are sealed', async () => {
      const { stored: found } = await receive([message()], { sealsMessages: true });
      const id = found[0]?.id ?? '';
      const [listed] = await list();
      expect(await inbox().find({ id: id.toUpperCase() }, mine())).toEqual(listed);
      expect(listed).toEqual({
        id,
        channel: 'sms',
        number,
        sender: '+2348031234567',
        type: 'text',
        text,
        received_datetime: expect.any(String),
      });
      const theirs = newContext({ organisationId: other });
      for (const [wrong, context] of [
        [id, theirs] as const,
        [newId(), mine()] as const,
        ['x', mine()] as const,
      ])
        await expect(inbox().find({ id: wrong }, context)).rejects.toMatchObject({ status: 404 });
      expect((await inbox().list({}, theirs)).messages).toEqual([]);
    });

    it('even if the message of another organisation in the batch cannot be opened', async () => {
      const { stored: found } = await receive([message()], { sealsMessages: true });
      const id = found[0]?.id ?? '';
      const theirs = await receive([message({ organisationId: other })], { sealsMessages: true });
      const broken = theirs.stored[0]?.id ?? '';
      await fixture.database.execute(sql`
        UPDATE incoming_message SET sealed_text = '\\x00' WHERE id = ${broken}::uuid`);
      const repository = worker.get(InboxRepository);
      const asked = [
        { id, organisationId: organisation },
        { id: broken, organisationId: organisation },
        { id: broken, organisationId: other },
      ];
      const scope = new BatchScope(asked.length);
      const results = await Promise.allSettled(
        asked.map((owned) =>
          runInContext(
            newContext(),
            () =>
              repository.find(owned).finally(() => {
                scope.memberFinished();
              }),
            scope,
          ),
        ),
      );
      expect(results).toMatchObject([
        { status: 'fulfilled', value: { id, text } },
        { status: 'fulfilled', value: undefined },
        { status: 'rejected' },
      ]);
      // A reply does not need the text.
      expect(await repository.findRepliedMessage({ id: broken, organisationId: other })).toMatchObject({
        sender: '+2348031234567',
      });
    });

    it('until they are as old as the messages that are removed', async () => {
      await receive([message(), message()]);
      const [old] = await stored();
      const aged = firstIdAt(new Date(Date.now() - 91 * 86_400_000));
      await fixture.database.execute(sql`
        UPDATE incoming_message SET id = ${aged}::uuid WHERE id = ${old?.id ?? ''}::uuid`);
      expect(await worker.get(Retention).prune()).toBe(false);
      expect((await stored()).map(({ id }) => id)).toHaveLength(1);
    });
  });
});

interface Assigned {
  readonly channel: Channel;
  readonly provider: string | null;
  readonly organisationId: string;
}
