import { type Channel, sql } from '@gangan/database';
import { Retention } from '@gangan/leases';
import { firstIdAt, newId } from '@gangan/protocol';
import { AppLogger } from '@gangan/runtime';
import { anEndpoint, valueFor } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ReceivedMessage } from '../../src/inbox/incoming-message.js';
import { HelpAnswersRepository } from '../../src/keywords/help-answers.repository.js';
import { HelpAnswersRunner, HelpAnswersService } from '../../src/keywords/help-answers.service.js';
import { KeywordHandler } from '../../src/keywords/keyword-handler.js';
import { DeliveryFixture, price } from '../support/delivery-fixture.js';
import type { WorkerOptions } from '../support/delivery-worker.js';
import { silent } from '../support/messaging-module.js';
import { ScriptedProvider } from '../support/scripted-provider.js';

const start = 1_000_000n;
const phone = '+2348031234567';
const helpText = 'Acme: STOP ends our offers';

describe('keywords', () => {
  const fixture = DeliveryFixture.use();
  let organisationId: string;
  let warnings: object[];
  beforeEach(async () => {
    organisationId = await fixture.organisation(start);
    warnings = [];
  });

  /** A worker with the keywords. */
  const worker = async (options: WorkerOptions = {}) => {
    const warn = (line: object): void => void warnings.push(line);
    const logger = valueFor(AppLogger, { ...silent, warn, error: warn });
    const sending = await fixture.worker({ named: [new ScriptedProvider()], values: [logger], ...options });
    sending.get(KeywordHandler).onModuleInit();
    return {
      sending,
      answers: sending.get(HelpAnswersRepository),
      service: sending.get(HelpAnswersService),
      retention: sending.get(Retention),
      receive: async (...messages: readonly ReceivedMessage[]) => {
        await sending.incoming.receive('carrier', messages);
        await sending.get(HelpAnswersRunner).idle();
        await sending.idle();
      },
    };
  };

  let count = 0;
  /** The nth message of a test arrives `at` milliseconds after the first. */
  const message = (text: string, at = 0, change: Partial<ReceivedMessage> = {}): ReceivedMessage => ({
    channel: 'sms',
    from: phone,
    to: '22345',
    type: 'text',
    text,
    reference: `reference ${(count += 1)}`,
    arrivedAt: new Date(arrival + at),
    requestId: newId(),
    organisationId,
    ...change,
  });
  const arrival = Date.now() - 60_000;

  const optOuts = async (owner = organisationId) =>
    (
      await fixture.database.optOut.findMany({ where: { organisationId: owner }, orderBy: { id: 'asc' } })
    ).map(({ channel, phone: own, source }) => `${channel} ${own} ${source}`);
  const optedOut = [`sms ${phone} message`];
  const set = (settings: object) =>
    fixture.database.organisation.update({
      where: { id: organisationId },
      data: { settings: { opt_out: settings } },
    });
  const sent = () => fixture.database.message.findMany({ where: { organisationId }, orderBy: { id: 'asc' } });
  const available = () => fixture.available(organisationId);

  it('opt a number out and in, for the organisation and the channel of the message', async () => {
    const { receive } = await worker();
    const other = await fixture.organisation();
    await receive(message('Please STOP calling'), message('stop, please', 1), message('', 2));
    expect(await optOuts()).toEqual([]);
    await receive(message(' Stop! '));
    expect(await optOuts()).toEqual(optedOut);
    expect(await optOuts(other)).toEqual([]);
    const [stored] = await fixture.database.optOut.findMany({ where: { organisationId } });
    expect(stored?.createdAt).toEqual(new Date(arrival));
    await receive(message('QUIT', 10), message('unsubscribe', 11, { channel: 'whatsapp' }));
    expect(await optOuts()).toEqual([...optedOut, `whatsapp ${phone} message`]);
    await receive(message('START', 20));
    expect(await optOuts()).toEqual([`whatsapp ${phone} message`]);
    await receive(message('START', 21));
    await receive(message('unstop', 22, { channel: 'whatsapp' }));
    expect(await optOuts()).toEqual([]);
  });

  it('stop promotional messages, which are refunded, until START', async () => {
    const { receive, sending } = await worker();
    const send = async (category: 'promotional' | 'transactional') => {
      const request = { recipients: phone, content: 'Hello', category };
      const { deliveries } = await sending.accept(organisationId, request);
      await sending.idle();
      await sending.due(organisationId, deliveries);
      return (await fixture.stored(deliveries[0] ?? '')).state;
    };
    expect(await send('promotional')).toBe('sent');
    await receive(message('STOP'));
    expect(await send('promotional')).toBe('rejected');
    expect(await send('transactional')).toBe('sent');
    await receive(message('START', 1));
    expect(await send('promotional')).toBe('sent');
    expect(await available()).toBe(start - 3n * price);
    await fixture.expectCleanLedger();
  });

  it('count in the order of their arrival', async () => {
    const { receive } = await worker();
    await receive(message('START', 2), message('STOP', 1));
    expect(await optOuts()).toEqual([]);
    await receive(message('STOP', 4), message('START', 3));
    expect(await optOuts()).toEqual(optedOut);
    // One that is read late does not undo a later one, also if that one changed nothing.
    await receive(message('START', 3));
    expect(await optOuts()).toEqual(optedOut);
    await receive(message('STOP', 8));
    await receive(message('START', 7));
    expect(await optOuts()).toEqual(optedOut);
    await receive(message('START', 10));
    await receive(message('STOP', 9));
    expect(await optOuts()).toEqual([]);
  });

  it('of WhatsApp count in the order in which they were sent', async () => {
    const { receive } = await worker();
    const sentAt = (ms: number) => ({ channel: 'whatsapp', sentAt: new Date(arrival - ms) }) as const;
    await receive(message('STOP', 1, sentAt(1_000)));
    await receive(message('START', 2, sentAt(5_000)));
    expect(await optOuts()).toEqual([`whatsapp ${phone} message`]);
  });

  it('are not recognised in the title of a button', async () => {
    const { receive } = await worker();
    for (const type of ['button', 'interactive', 'reaction', 'image'])
      await receive(message('Cancel', 0, { type, channel: 'whatsapp' }));
    expect(await optOuts()).toEqual([]);
  });

  it('remove opt-outs of any source', async () => {
    const { receive } = await worker();
    const data = { id: newId(), organisationId, channel: 'sms', phone, source: 'import' } as const;
    await fixture.database.optOut.create({ data: { ...data, createdAt: new Date(arrival) } });
    await receive(message('START'));
    expect(await optOuts()).toEqual([]);
  });

  it('are reported once, even if the message arrives several times', async () => {
    await anEndpoint(fixture.database, organisationId, { events: ['recipient.opted_out'] });
    const stop = message('STOP');
    const workers = await Promise.all([worker(), worker(), worker()]);
    await Promise.all(workers.map(({ receive }) => receive(stop, stop)));
    await (await worker()).receive(message('STOP', 5));
    const stored = await fixture.database.callback.findMany({ where: { organisationId } });
    expect(stored).toMatchObject([{ type: 'recipient.opted_out', requestId: stop.requestId }]);
    expect(JSON.parse(stored[0]?.body ?? '')).toMatchObject({
      data: { phone, channel: 'sms', source: 'message' },
    });
    expect(fixture.output.callbacks).toContain(stored[0]?.id);
    expect(await optOuts()).toEqual(optedOut);
  });

  it('may be words of the organisation', async () => {
    const { receive } = await worker();
    await set({ stop_words: ['Arrêter'] });
    await receive(message('arreter.'));
    expect(await optOuts()).toEqual(optedOut);
    await receive(message('START', 1));
    // Settings that cannot be read do not hide the standard words.
    await set({ stop_words: 'STOP' });
    await receive(message('arreter', 2));
    expect(await optOuts()).toEqual([]);
    await receive(message('end', 3));
    expect(await optOuts()).toEqual(optedOut);
  });

  it('of senders without a phone number do nothing', async () => {
    await (
      await worker()
    ).receive(message('STOP', 0, { from: 'NG.1234567890123456' }), message('HELP', 1, { from: 'Acme' }));
    expect(await optOuts()).toEqual([]);
  });

  describe('HELP', () => {
    it('is answered with the text of the organisation, once for each number and day, and charged', async () => {
      await set({ help_text: helpText });
      const help = message('Help?');
      const workers = await Promise.all([worker(), worker(), worker()]);
      await Promise.all(workers.map(({ receive }) => receive(help, help)));
      const { receive } = await worker();
      await receive(message('HELP', 1), message('help', 2, { channel: 'whatsapp' }));
      expect(await sent()).toMatchObject([
        {
          content: helpText,
          recipients: [phone],
          category: 'transactional',
          channel: 'sms',
          chargeKobo: price,
        },
      ]);
      expect(await available()).toBe(start - price);
      const nextDay = 86_400_000;
      await receive(message('HELP', nextDay), message('HELP', nextDay + 1, { from: '+2348031234568' }));
      expect(await sent()).toHaveLength(3);
      expect(await available()).toBe(start - 3n * price);
      const states = await fixture.database.delivery.findMany({ where: { organisationId } });
      expect(states.map(({ state }) => state)).toEqual(['sent', 'sent', 'sent']);
      await fixture.expectCleanLedger();
    });

    it('is answered to a number that has opted out', async () => {
      await set({ help_text: helpText });
      await (await worker()).receive(message('STOP'), message('HELP', 1));
      const [answer] = await sent();
      const [delivery] = await fixture.database.delivery.findMany({ where: { messageId: answer?.id ?? '' } });
      expect(delivery?.state).toBe('sent');
    });

    it('is not answered without a text, or while the organisation is suspended', async () => {
      const { receive } = await worker();
      await receive(message('HELP'));
      await set({ help_text: helpText });
      await fixture.database.organisation.update({
        where: { id: organisationId },
        data: { status: 'suspended' },
      });
      await receive(message('HELP', 1));
      expect(await sent()).toEqual([]);
      expect(await fixture.database.helpAnswer.count({ where: { organisationId } })).toBe(0);
    });

    it('is not answered after an hour, for example because the organisation was suspended', async () => {
      const { receive, service } = await worker();
      await receive(message('HELP'));
      const { id: incomingId } = await fixture.database.incomingMessage.findFirstOrThrow({
        where: { organisationId },
      });
      const send = (minutes: number) =>
        service.send({
          id: firstIdAt(new Date(Date.now() - minutes * 60_000)),
          ...({ organisationId, channel: 'sms', phone, incomingId, helpText, attempt: 1 } as const),
        });
      await send(61);
      expect(await sent()).toEqual([]);
      await send(59);
      expect(await sent()).toMatchObject([{ content: helpText }]);
    });

    it.each<[string, bigint, Channel, string]>([
      ['too little money', price - 1n, 'sms', 'insufficient_balance'],
      ['no provider', start, 'whatsapp', 'unavailable'],
    ])(
      'is not answered with %s, which is logged once and does not affect other keywords',
      async (_, balance, channel, code) => {
        organisationId = await fixture.organisation(balance);
        await set({ help_text: helpText });
        const { receive, answers } = await worker({
          named: [Object.assign(new ScriptedProvider(), { channels: ['sms'] })],
        });
        await receive(message('HELP', 0, { channel }), message('STOP', 1, { channel }));
        await receive(message('HELP', 2, { channel }));
        expect(await answers.claimNext()).toBeUndefined();
        expect(warnings).toEqual([expect.objectContaining({ organisationId, channel, code })]);
        expect(JSON.stringify(warnings)).not.toContain(phone.slice(4));
        expect(await optOuts()).toHaveLength(1);
        expect(await sent()).toEqual([]);
        expect(await available()).toBe(balance);
      },
    );

    it('is answered once if a worker dies after it has sent the answer', async () => {
      await set({ help_text: helpText });
      const { receive, service, answers } = await worker();
      await receive(message('HELP'));
      const [answer] = await sent();
      await fixture.database.execute(
        sql`UPDATE help_answer SET next_attempt_at = now() - interval '1 ms' WHERE id = ${answer?.id}`,
      );
      const claimed = await answers.claimNext();
      if (!claimed) throw new Error('There is no answer to send again');
      await service.send(claimed);
      expect(await sent()).toEqual([answer]);
      expect(await available()).toBe(start - price);
      expect(warnings).toEqual([]);
      expect(await answers.claimNext()).toBeUndefined();
    });

    it('is forgotten after two days', async () => {
      const { retention, answers } = await worker();
      const ofTime = (ms: number) => ({
        id: firstIdAt(new Date(Date.now() - ms)),
        ...({ organisationId, channel: 'sms', phone, incomingId: newId() } as const),
        askedOn: new Date(Date.now() - ms).toISOString().slice(0, 10),
      });
      const hour = 3_600_000;
      await answers.add(fixture.database, [ofTime(49 * hour), ofTime(25 * hour), ofTime(0)]);
      await retention.prune();
      expect(await fixture.database.helpAnswer.count({ where: { organisationId } })).toBe(2);
    });
  });
});
