import { type Channel, sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { byId, TestContacts, together } from './support/test-contacts.js';

describe('contact rows', () => {
  let contacts: TestContacts;
  let organisationId: string;
  beforeAll(async () => {
    contacts = await TestContacts.open();
  });
  afterAll(() => contacts.close());
  beforeEach(async () => {
    organisationId = await contacts.organisation();
  });

  const context = () => newContext({ organisationId });
  const optOut = (phone: string, channel: Channel = 'sms', owner = organisationId) =>
    contacts.database.execute(sql`
      INSERT INTO opt_out (id, organisation_id, channel, phone, source)
      VALUES (${newId()}::uuid, ${owner}::uuid, ${channel}::channel, ${phone}, 'api')`);
  const addPhoneColumn = async (name: string): Promise<string> => {
    const { columns } = await contacts.tables.addColumn({ name, type: 'PHONE NUMBER' }, context());
    return columns.find((column) => column.name === name)?.id ?? '';
  };
  const shown = async () => (await contacts.query(organisationId)).rows.map((row) => row.opted_out);

  it('show opt-outs in every response, in any notation of the number', async () => {
    await optOut('+2348031234567');
    await optOut('+2348031234568', 'whatsapp');
    const table = await contacts.table(organisationId);
    const columns = byId(table, { Mobile: '0803 123 4567' });
    const { row } = await contacts.rows.create({ columns }, context());
    expect(row.opted_out).toEqual(['sms']);
    const { id } = row;
    expect((await contacts.rows.find({ id }, context())).row).toEqual(row);
    expect((await contacts.query(organisationId)).rows).toEqual([row]);
    const patch = async (Mobile: string) =>
      (await contacts.rows.patch({ id, columns: byId(table, { Mobile }) }, context())).row.opted_out;
    expect(await patch('+2348031234568')).toEqual(['whatsapp']);
    expect(await patch('+234 803 123 4569')).toBeUndefined();
    expect(await patch('')).toBeUndefined();
    expect(await patch('2348031234567')).toEqual(['sms']);
    expect((await contacts.rows.remove({ id }, context())).row.opted_out).toEqual(['sms']);
  });

  it('show the opt-outs of all their numbers, each channel once', async () => {
    await optOut('+2348031234567');
    await optOut('+2348031234568');
    await optOut('+2348031234568', 'whatsapp');
    const office = await addPhoneColumn('Office');
    await contacts.add(organisationId, { Mobile: '08031234567', Office: '08031234568' });
    await contacts.add(organisationId, { Mobile: '08031234569', Office: '08031234567' });
    await contacts.add(organisationId, { Name: '+2348031234567', Mobile: '08031234569' });
    await contacts.add(organisationId, { Name: 'Ada' });
    expect(await shown()).toEqual([['sms', 'whatsapp'], ['sms'], undefined, undefined]);
    await contacts.tables.removeColumn({ id: office }, context());
    expect(await shown()).toEqual([['sms'], undefined, undefined, undefined]);
  });

  it('show only the opt-outs of their own organisation, also in a batch with others', async () => {
    const owners = [organisationId, await contacts.organisation(), await contacts.organisation()];
    await optOut('+2348031234567', 'sms', owners[1]);
    await optOut('+2348031234567', 'whatsapp', owners[2]);
    const ids: string[] = [];
    for (const owner of owners) ids.push(await contacts.add(owner, { Mobile: '08031234567' }));
    const answers = await together(3, (nth) =>
      contacts.rows.find({ id: ids[nth] ?? '' }, newContext({ organisationId: owners[nth] ?? '' })),
    );
    expect(answers.map(({ row }) => row.opted_out)).toEqual([undefined, ['sms'], ['whatsapp']]);
  });

  it('read opt-outs once for a page, and not at all if no row has a number', async () => {
    await optOut('+2348031234567');
    const reads = async (): Promise<number> => {
      const run = jest.spyOn(contacts.database, 'run');
      await contacts.query(organisationId);
      const texts = run.mock.calls.map(([statement, ...args]) => statement.build(...args).sql);
      run.mockRestore();
      return texts.filter((text) => text.includes('FROM opt_out')).length;
    };
    await contacts.add(organisationId, { Name: 'Ada' });
    expect(await reads()).toBe(0);
    for (let nth = 0; nth < 50; nth += 1) await contacts.add(organisationId, { Mobile: '08031234567' });
    expect(await reads()).toBe(1);
    expect((await shown()).filter((channels) => channels?.includes('sms'))).toHaveLength(50);
  });
});
