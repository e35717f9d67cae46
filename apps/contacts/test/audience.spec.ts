import type { ContactFilter, OpenedSmartlist, SmartlistRow } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { valueFor } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serializeAudience } from '../src/audience/audience.js';
import { AudienceRepository } from '../src/audience/audience.repository.js';
import { AudienceService } from '../src/audience/audience.service.js';
import { byId, TestContacts } from './support/test-contacts.js';

describe('a smartlist as an audience', () => {
  let contacts: TestContacts;
  let audiences: AudienceService;
  beforeAll(async () => {
    contacts = await TestContacts.open();
    audiences = contacts.get(AudienceService);
  });
  afterAll(() => contacts.close());

  const smartlist = async (organisationId: string, filters: ContactFilter[] = []): Promise<string> =>
    (await contacts.smartlists.create({ name: newId(), filters }, newContext({ organisationId }))).id;
  const open = (
    organisationId: string,
    id: string,
    names: string[] = [],
    phone?: string,
  ): Promise<OpenedSmartlist> =>
    audiences.open(
      { smartlist_id: id, names, ...(phone !== undefined && { phone_column: phone }) },
      newContext({ organisationId }),
    );
  const readAll = async (
    organisationId: string,
    list: string,
    limit = 2,
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<SmartlistRow[]> => {
    const all: SmartlistRow[] = [];
    for (let more = true; more;) {
      const after = all.at(-1)?.id;
      const request = { list, limit, ...(after !== undefined && { after }) };
      const page = await audiences.read(request, newContext({ organisationId }));
      all.push(...page.rows);
      ({ more } = page);
      await meanwhile();
    }
    return all;
  };
  const addColumn = (organisationId: string, name: string, type: 'TEXT' | 'PHONE NUMBER') =>
    contacts.tables.addColumn({ name, type }, newContext({ organisationId }));

  it('is read by column name, as it was when it was opened', async () => {
    const organisationId = await contacts.organisation();
    await addColumn(organisationId, 'First name', 'TEXT');
    const ids: string[] = [];
    for (const name of ['Ada', 'Bola', 'Chidi', 'Dayo', 'Emeka'])
      ids.push(
        await contacts.add(organisationId, { 'First name': name, Mobile: '0803 123 4567', Name: 'x' }),
      );
    await contacts.add(organisationId, { 'First name': 'Adaeze' });
    const id = await smartlist(organisationId, [{ name: 'Name', operator: 'equal', value: 'X' }]);
    const { list, rows, columns, unknown } = await open(organisationId, id, [
      'first_NAME',
      'email',
      'Unknown',
    ]);
    expect([rows, unknown]).toEqual([5, ['Unknown']]);
    expect(columns).toEqual([
      { name: 'first_NAME', longest: 5, alphabet: 'single', links: 0 },
      { name: 'email', longest: 0, alphabet: 'single', links: 0 },
    ]);
    const late = () =>
      contacts.add(organisationId, { 'First name': 'Late', Mobile: '08031234568', Name: 'x' });
    const read = await readAll(organisationId, list, 2, late);
    expect(read.map((row) => row.id)).toEqual(ids.sort());
    expect(read.map(({ cells }) => cells['first_NAME']).sort()).toEqual([
      'Ada',
      'Bola',
      'Chidi',
      'Dayo',
      'Emeka',
    ]);
    expect(read[0]).toMatchObject({ phone: '0803 123 4567', cells: {} });
    await contacts.smartlists.remove({ id }, newContext({ organisationId }));
    expect(await readAll(organisationId, list)).toEqual(read);
  });

  it.each([
    ['Ada Lovelace @ 5', 'single', 16],
    ['Zoë'.replace('ë', 'è'), 'single', 3],
    ['a[b]~€', 'double', 6],
    ['a`b', 'wide', 3],
    ['Ọlá —', 'wide', 5],
    ['🦁🦁', 'astral', 2],
  ])('reports for %s the alphabet %s', async (cell, alphabet, longest) => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: cell });
    await contacts.add(organisationId, { Name: 'x' });
    await contacts.add(organisationId);
    const id = await smartlist(organisationId);
    expect(await open(organisationId, id, ['Name'])).toMatchObject({
      rows: 3,
      columns: [{ alphabet, longest, links: 0 }],
    });
  });

  it('reports how many links a cell has', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: 'see HTTPS://example.com or http://a.b' });
    await contacts.add(organisationId, { Name: 'see http://a.b, which is somewhere else altogether' });
    const id = await smartlist(organisationId);
    expect(await open(organisationId, id, ['Name'])).toMatchObject({ columns: [{ links: 2 }] });
  });

  it('reads phone numbers from the first column of that type, or from a named one', async () => {
    const organisationId = await contacts.organisation();
    const table = await addColumn(organisationId, 'Office', 'PHONE NUMBER');
    const columns = byId(table, { Mobile: '08031234567', Office: '08031234568' });
    await contacts.rows.create({ columns }, newContext({ organisationId }));
    const id = await smartlist(organisationId);
    const phoneOf = async (name?: string) =>
      (await readAll(organisationId, (await open(organisationId, id, [], name)).list))[0]?.phone;
    expect([await phoneOf(), await phoneOf('OFFICE ')]).toEqual(['08031234567', '08031234568']);
    await expect(open(organisationId, id, [], 'Name')).rejects.toMatchObject({
      fields: [{ field: 'phone_column' }],
    });
  });

  it('must belong to the organisation, match a contact, and not be too large', async () => {
    const organisationId = await contacts.organisation();
    const id = await smartlist(organisationId);
    const fault = { status: 400, fields: [{ field: 'smartlist_id' }] };
    await expect(open(await contacts.organisation(), id)).rejects.toMatchObject(fault);
    await expect(open(organisationId, 'x')).rejects.toMatchObject(fault);
    await expect(open(organisationId, id)).rejects.toMatchObject(fault);
    const { id: tableId } = await contacts.table(organisationId);
    const tally = (delta: number) =>
      contacts.database.execute(
        sql`INSERT INTO contact_tally (table_id, delta) VALUES (${tableId}, ${delta})`,
      );
    await tally(100_000);
    expect(await open(organisationId, id)).toMatchObject({ rows: 100_000 });
    await tally(1);
    await expect(open(organisationId, id)).rejects.toMatchObject({ fields: [{ type: 'too_long' }] });
  });

  it('does not show the rows of other organisations', async () => {
    const [one, other] = [await contacts.organisation(), await contacts.organisation()];
    await contacts.add(one, { Mobile: '08031234567' });
    const { list } = await open(one, await smartlist(one));
    expect(await readAll(other, list)).toEqual([]);
  });

  it('is returned in small pages if cells are large', async () => {
    const organisationId = await contacts.organisation();
    const rows = Array.from({ length: 60 }, () => ({
      id: newId(),
      cells: { a: 'x'.repeat(5_000), b: 'y'.repeat(5_000), c: 'z'.repeat(5_000), d: '08031234567' },
      createdAt: new Date(),
      updatedAt: new Date(),
    }));
    const stored = valueFor(AudienceRepository, { rows: () => Promise.resolve(rows) });
    const service = (await contacts.worker([stored])).get(AudienceService);
    const columns = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
    const list = serializeAudience({ filters: [], snapshot: '', rare: false, phoneId: 'd', columns });
    const first = await service.read({ list, limit: 100 }, newContext({ organisationId }));
    expect(first.more).toBe(true);
    expect(JSON.stringify(first).length).toBeLessThan(300_000);
    expect(first.rows[0]?.cells['a']).toHaveLength(1_601);
  });
});
