import { sql } from '@gangan/database';
import { type TestRequest, until } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Message {
  readonly id: string;
  readonly expansion: { readonly state: string };
  readonly deliveries: readonly { readonly status: string }[];
  readonly meta: { readonly estimate: { readonly available_balance: number; readonly charge: number } };
}

export function sendsToSmartlists(running: RunningSystem): void {
  const { system, database } = running;
  const { id: organisationId, key } = ownOrganisation(running, 'Smartlists');
  const ask = (method: NonNullable<TestRequest['method']>, path: string, body?: object) =>
    system().request({ method, path, key: key(), ...(body && { body }) });
  const columnId = async (name: string): Promise<string> => {
    const { columns } = (await ask('GET', '/lists/contact')).body as {
      columns: { id: string; name: string }[];
    };
    return columns.find((column) => column.name === name)?.id ?? '';
  };
  const storedRows = () =>
    database().query(sql`
      SELECT (SELECT count(*)::int FROM message WHERE organisation_id = own.id) AS messages,
        (SELECT count(*)::int FROM message_expansion WHERE organisation_id = own.id) AS expansions,
        (SELECT count(*)::int FROM contact_table WHERE organisation_id = own.id) AS tables,
        (SELECT count(*)::int FROM contact_scroll JOIN contact_table ON contact_table.id = table_id
          WHERE organisation_id = own.id) AS scrolls,
        (SELECT count(*)::int FROM ledger_movement WHERE organisation_id = own.id) AS transactions
      FROM (SELECT ${organisationId()}::uuid AS id) own`);
  const ended = (id: string): Promise<Message> =>
    until('all deliveries end', async () => {
      const message = (await ask('GET', `/sms/${id}`)).body as Message;
      const open = message.deliveries.some(({ status }) => ['queued', 'sent'].includes(status));
      return message.expansion.state !== 'expanding' && !open ? message : undefined;
    });

  it('sends a personalised message once to each contact, and refunds the rest', async () => {
    const [name, mobile] = [await columnId('Name'), await columnId('Mobile')];
    for (const [who, number] of [
      ['Listed Ada', '0803 200 0031'],
      ['Listed Bola', '08032000032'],
      ['Listed Ada again', '+2348032000031'],
      ['Listed no phone', ''],
    ])
      expect(
        await ask('POST', '/lists/contact/rows', { columns: { [name]: who, [mobile]: number } }),
      ).toMatchObject({
        status: 200,
      });
    const filters = [{ name: 'Name', operator: 'start_with', value: 'listed' }];
    const made = await ask('POST', '/lists/contact/smartlists', { name: 'Listed', filters });
    const { id: smartlist_id } = made.body as { id: string };
    const before = await storedRows();
    expect(await ask('POST', '/sms/estimate', { smartlist_id, content: 'Dear {{Name}}' })).toMatchObject({
      status: 200,
      body: { recipient_count: 4, rejected: [], meta: { estimate: { charge: 16 } } },
    });
    expect(await storedRows()).toEqual(before);
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
        state: 'done',
        rows: 4,
        recipients: 2,
        duplicates: 1,
        without_number: 1,
        unsendable: 0,
        charge: 8,
        returned: 8,
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
  });

  it('rejects an unknown smartlist or column', async () => {
    const refused = await ask('POST', '/sms/send', {
      smartlist_id: '019a8f3e-6c1b-7d2a-9f00-3b5c8e7d1a42',
      content: 'Dear {{Name}}',
      phone_column: 'Fax',
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'smartlist_id' }, { field: 'phone_column' }] },
    });
  });
}
