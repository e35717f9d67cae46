import type { SendSmsRequest } from '@gangan/contracts';
import { type Channel, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import type { FakeTermii } from '@gangan/testing';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { LiveFixture } from '../support/live-fixture.js';

const number = '22345';
const sender = '+2348031234567';

describe('replies', () => {
  const live = LiveFixture.use();
  const { fixture } = live;
  let [first, second]: FakeTermii[] = [];
  let ids: string[];
  beforeEach(async () => {
    await fixture.database.execute(sql`TRUNCATE inbound_number, incoming_message`);
    await fixture.database.inboundNumber.create({
      data: { channel: 'sms', number, organisationId: live.organisationId },
    });
    [first, second] = [await live.serveTermii(), await live.serveTermii()];
    ids = [await live.add('first', first), await live.add('second', second)];
    await live.route(ids.slice(0, 1));
  });

  const received = async (
    own: { channel?: Channel; from?: string; provider?: string; organisationId?: string } = {},
  ): Promise<string> => {
    const { channel = 'sms', from = sender, provider = 'first', organisationId = live.organisationId } = own;
    const message = { channel, from, to: number, type: 'text', text: 'Hi', reference: newId() };
    const { stored } = await live.worker.incoming.receive(provider, [
      { ...message, arrivedAt: new Date(), requestId: 'request-1', organisationId },
    ]);
    return stored[0]?.id ?? '';
  };
  const reply = async (request: Partial<SendSmsRequest>) => {
    const context = newContext({ organisationId: live.organisationId });
    const sent = await live.worker.messages.send({ content: 'Hello', ...request }, context);
    await live.worker.idle();
    return sent;
  };
  const refusal = (field: string) => ({ status: 400, fields: [{ field }] });
  const shown = (id: string) =>
    live.worker.messages.find({ id }, newContext({ organisationId: live.organisationId }));

  it('go to the sender of a message, from the number that received it', async () => {
    const id = await received();
    const sent = await reply({ reply_to: id.toUpperCase() });
    expect(sent).toMatchObject({ recipients: [sender], reply_to: id, sender_id: number });
    expect(first?.sent).toMatchObject([{ to: sender.slice(1), from: number, sms: 'Hello' }]);
    expect(await shown(sent.id)).toMatchObject({ reply_to: id, sender_id: number, channel: 'sms' });
    const given = await reply({
      reply_to: id,
      recipients: '0803 123 4567',
      channel: 'sms',
      sender_id: 'Acme',
    });
    expect(given).toMatchObject({ recipients: ['0803 123 4567'], sender_id: 'Acme' });
  });

  it('from a phone number have this number as their sender', async () => {
    const long = '+2348001234567';
    await fixture.database.inboundNumber.create({
      data: { channel: 'sms', number: long, organisationId: live.organisationId },
    });
    const id = await received();
    await fixture.database.incomingMessage.update({ where: { id }, data: { number: long } });
    expect(await reply({ reply_to: id })).toMatchObject({ sender_id: long });
  });

  it('have the default sender if another provider could send them, or the number is no longer theirs', async () => {
    const { defaultSender } = await fixture.database.organisation.findUniqueOrThrow({
      where: { id: live.organisationId },
    });
    const id = await received();
    const byDefault = { sender_id: defaultSender };
    expect(await reply({ reply_to: await received({ provider: 'second' }) })).toMatchObject(byDefault);
    await fixture.database.provider.updateMany({ data: { registeredSenders: true } });
    await fixture.database.execute(sql`
      INSERT INTO sender_registration (id, provider, sender, status)
      VALUES (${newId()}::uuid, 'first', ${defaultSender}, 'approved')`);
    await live.refresh();
    expect(await reply({ reply_to: id })).toMatchObject(byDefault);
    await fixture.database.provider.updateMany({ data: { registeredSenders: false } });
    await live.refresh();
    expect(await reply({ reply_to: id })).toMatchObject({ sender_id: number });
    await fixture.database.execute(sql`TRUNCATE inbound_number`);
    expect(await reply({ reply_to: id })).toMatchObject(byDefault);
  });

  it('are rejected if they contradict the message, or if it does not exist', async () => {
    const id = await received();
    const others = await fixture.organisation();
    const before = await live.counts();
    const refused = async (field: string, request: Partial<SendSmsRequest>): Promise<void> => {
      await expect(reply(request)).rejects.toMatchObject(refusal(field));
    };
    await refused('reply_to', { reply_to: newId() });
    await refused('reply_to', { reply_to: 'x', recipients: sender });
    await refused('reply_to', { reply_to: await received({ organisationId: others }) });
    await refused('reply_to', { reply_to: await received({ from: 'NG.13491208655302741918' }) });
    await refused('recipients', { reply_to: id, recipients: '+2348039999999' });
    await refused('recipients', { reply_to: id, recipients: `${sender},+2348039999999` });
    await refused('recipients', { reply_to: id, recipients: 'x' });
    await refused('channel', { reply_to: id, channel: 'whatsapp' });
    await refused('channel', { reply_to: await received({ channel: 'whatsapp' }), channel: 'sms' });
    expect(await live.counts()).toEqual(before);
  });

  it('are not accepted as plain messages', async () => {
    await reply({ recipients: sender });
    const data = { recipients: sender, content: 'Hello', reply_to: await received() };
    const context = newContext({ organisationId: live.organisationId });
    expect(live.worker.messages.takePlain([{ data, context }] as never).members).toEqual([]);
    const plain = { data: { recipients: sender, content: 'Hello' }, context };
    const taken = live.worker.messages.takePlain([plain] as never);
    expect(taken.members).toEqual([plain]);
    await taken.replies;
    await live.worker.idle();
  });
});
