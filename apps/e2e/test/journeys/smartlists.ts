import { setTimeout as pause } from 'node:timers/promises';
import type { TestRequest } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import type { Running } from './running.js';

const key = 'sk_test_demo';

interface Message {
  readonly id: string;
  readonly expansion: { readonly state: string };
  readonly deliveries: readonly { readonly status: string }[];
  readonly meta: { readonly estimate: { readonly available_balance: number; readonly charge: number } };
}

export function sendsToSmartlists({ system }: Running): void {
  const ask = (method: NonNullable<TestRequest['method']>, path: string, body?: object) =>
    system().request({ method, path, key, ...(body && { body }) });
  const columnId = async (name: string): Promise<string> => {
    const { columns } = (await ask('GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    return columns.find((column) => column.name === name)?.id ?? '';
  };
  const ended = async (id: string): Promise<Message> => {
    const giveUpAt = Date.now() + 60_000;
    for (;;) {
      const message = (await ask('GET', `/sms/${id}`)).body as Message;
      const open = message.deliveries.some(({ status }) => ['queued', 'sent'].includes(status));
      if ((message.expansion.state !== 'expanding' && !open) || Date.now() > giveUpAt) return message;
      await pause(50);
    }
  };

  it('sends to a smartlist what its columns say, once to each, and gives back the rest', async () => {
    const [name, mobile] = [await columnId('Name'), await columnId('Mobile')];
    for (const [who, number] of [
      ['Listed Ada', '0803 200 0031'],
      ['Listed Bola', '08032000032'],
      ['Listed Ada again', '+2348032000031'],
      ['Listed nobody', ''],
    ])
      expect(
        await ask('POST', '/lists/contact/rows', { columns: { [name]: who, [mobile]: number } }),
      ).toMatchObject({
        status: 200,
      });
    const filters = [{ name: 'Name', operator: 'start_with', value: 'listed' }];
    const made = await ask('POST', '/lists/contact/smartlists', { name: 'Listed', filters });
    const { id: smartlist_id } = made.body as { id: string };
    const sent = await ask('POST', '/sms/send', { smartlist_id, content: 'Dear {{Name}}' });
    expect(sent).toMatchObject({
      status: 200,
      body: { recipients: [], smartlist_id, content: 'Dear {{Name}}', meta: { estimate: { charge: 16 } } },
    });
    const { id, meta } = sent.body as Message;
    const message = await ended(id);
    expect(message).toMatchObject({
      recipients: [],
      expansion: {
        ...{ state: 'done', rows: 4, recipients: 2, duplicates: 1, without_number: 1, unsendable: 0 },
        ...{ charge: 8, returned: 8 },
      },
      meta: { estimate: meta.estimate },
    });
    expect(message.deliveries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ recipient: '0803 200 0031', status: 'delivered', charge: 4 }),
        expect.objectContaining({ recipient: '08032000032', status: 'delivered', charge: 4 }),
      ]),
    );
    expect(message.deliveries).toHaveLength(2);
    expect((await ask('DELETE', `/lists/contact/smartlists/${smartlist_id}`)).status).toBe(200);
  }, 90_000);

  it('sends nothing to a smartlist that is not there, or to a column that is not there', async () => {
    const refused = await ask('POST', '/sms/send', {
      ...{ smartlist_id: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42', content: 'Dear {{Name}}' },
      phone_column: 'Fax',
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'smartlist_id' }, { field: 'phone_column' }] },
    });
  });
}
