import { sql } from '@gangan/database';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Event, LiveOrganisation } from './live-organisation.js';
import { type LiveSystem, phoneNumberId, whatsAppNumber } from './live-system.js';

export function receivesMessages(live: () => LiveSystem): void {
  let acme: LiveOrganisation;
  beforeAll(async () => {
    acme = await live().openOrganisation('Inbox');
    await live().assign(acme, 'sms', '22345');
    await live().assign(acme, 'whatsapp', whatsAppNumber);
    await acme.subscribe('message.received');
  });
  afterAll(() => acme.close());

  const listed = async (query: string) => {
    const { messages } = await acme.get<{ readonly messages: readonly Record<string, string>[] }>(
      `/inbox?${query}`,
    );
    return messages;
  };

  it('receives an SMS once, reports it, and sends the reply', async () => {
    const { termii } = live();
    const before = termii.sent.length;
    const message = { type: 'inbound', message_id: 'a1', receiver: '22345', sender: '2348031234567' };
    const sms = (id: string) => ({ ...message, id, message: 'Where is my order?' });
    // Repeated by the provider, in requests that differ.
    const answers = await Promise.all(['1', '2', '2', '3'].map((id) => live().bringFromTermii(sms(id))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const shown = await until('the message is listed', async () => (await listed('number=22345'))[0]);
    expect(shown).toMatchObject({
      ...{ channel: 'sms', number: '22345', sender: '+2348031234567', text: 'Where is my order?' },
    });
    expect(await acme.get(`/inbox/${shown['id']}`)).toEqual(shown);
    await until('the event arrives', () => acme.events().length > 0);
    expect(acme.events()[0]).toMatchObject({ type: 'message.received', data: shown });

    const sent = await acme.send({ reply_to: shown['id'], content: 'It has left.' });
    expect(sent).toMatchObject({ reply_to: shown['id'], sender_id: '22345', recipients: ['+2348031234567'] });
    await until('Termii has the reply', () => termii.sent.length === before + 1);
    expect(termii.sent.at(-1)).toMatchObject({ to: '2348031234567', from: '22345', sms: 'It has left.' });
    expect(await acme.get(`/sms/${sent['id']}`)).toMatchObject({ reply_to: shown['id'], channel: 'sms' });
  });

  it('receives a WhatsApp message of a signed webhook, and sends the reply', async () => {
    const { whatsApp } = live();
    const before = whatsApp.sent.length;
    const metadata = { display_phone_number: whatsAppNumber.slice(1), phone_number_id: phoneNumberId };
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const message = { from: '2348031234568', id: 'wamid.in', timestamp, type: 'text' };
    const value = {
      ...{ messaging_product: 'whatsapp', metadata },
      messages: [{ ...message, text: { body: 'Hello' } }],
    };
    expect((await live().bringFromWhatsApp(value, 'a forger')).status).toBe(404);
    expect((await live().bringFromWhatsApp(value)).status).toBe(200);
    const shown = await until('the message is listed', async () => (await listed('channel=whatsapp'))[0]);
    expect(shown).toMatchObject({ number: whatsAppNumber, sender: '+2348031234568', text: 'Hello' });
    const isReceived = ({ data }: Event): boolean => data['id'] === shown['id'];
    await until('the event arrives', () => acme.events().some(isReceived));
    expect(acme.events().filter(isReceived)).toHaveLength(1);

    const sent = await acme.send({ reply_to: shown['id'], content: 'Good morning' });
    expect(sent).toMatchObject({ sender_id: whatsAppNumber, recipients: ['+2348031234568'] });
    await until('WhatsApp has the reply', () => whatsApp.sent.length === before + 1);
    expect(whatsApp.sent.at(-1)).toMatchObject({ to: '+2348031234568', text: { body: 'Good morning' } });
  });

  it('keeps a message to a number that is not assigned, until it is', async () => {
    const message = { type: 'inbound', message_id: 'b1', receiver: '33445', sender: '2348031234567' };
    expect((await live().bringFromTermii({ ...message, message: 'Later' })).status).toBe(200);
    await until('the request is read', async () => {
      const rows = await live().database.query(sql`SELECT FROM inbound_request WHERE state = 'unparsed'`);
      return rows.length > 0;
    });
    const [unparsed] = await live().admin<{ fault: string }[]>('inbound', 'list', '--state', 'unparsed');
    expect(unparsed?.fault).toContain('pnpm admin numbers assign');
    await live().admin('numbers', 'assign', acme.id, '33445');
    await live().admin('inbound', 'replay', '--provider', 'termii');
    const shown = await until('the message is listed', async () => (await listed('number=33445'))[0]);
    expect(shown['text']).toBe('Later');
  });
}
