import type { ContactFilter, OpenedSmartlist, SmartlistRow } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writtenDown } from '../src/audiences/audience.js';
import { AudienceRepository } from '../src/audiences/audience.repository.js';
import { AudienceService } from '../src/audiences/audience.service.js';
import { TablesRepository } from '../src/tables/tables.repository.js';
import { byId, Office } from './support/office.js';

describe('a smartlist that is sent to', () => {
  let office: Office;
  let audiences: AudienceService;
  beforeAll(async () => {
    office = await Office.open();
    const tables = new TablesRepository(office.database);
    audiences = new AudienceService(
      tables,
      office.queries,
      office.turns,
      new AudienceRepository(office.database),
    );
  }, 60_000);
  afterAll(() => office.close());

  const smartlist = async (organisationId: string, filters: ContactFilter[] = []): Promise<string> =>
    (await office.smartlists.create({ name: newId(), filters }, newContext({ organisationId }))).id;
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
      const wish = { list, limit, ...(after !== undefined && { after }) };
      const page = await audiences.read(wish, newContext({ organisationId }));
      all.push(...page.rows);
      ({ more } = page);
      await meanwhile();
    }
    return all;
  };
  const addColumn = (organisationId: string, name: string, type: 'TEXT' | 'PHONE NUMBER') =>
    office.tables.addColumn({ name, type }, newContext({ organisationId }));

  it('is read by the names of columns, as it was when it was opened', async () => {
    const organisationId = await office.organisation();
    await addColumn(organisationId, 'First name', 'TEXT');
    const ids: string[] = [];
    for (const name of ['Ada', 'Bola', 'Chidi', 'Dayo', 'Emeka'])
      ids.push(await office.add(organisationId, { 'First name': name, Mobile: '0803 123 4567', Name: 'x' }));
    await office.add(organisationId, { 'First name': 'Adaeze' });
    const id = await smartlist(organisationId, [{ name: 'Name', operator: 'equal', value: 'X' }]);
    const { list, rows, columns, unknown } = await open(organisationId, id, [
      'first_NAME',
      'email',
      'Nobody',
    ]);
    expect([rows, unknown]).toEqual([5, ['Nobody']]);
    expect(columns).toEqual([
      { name: 'first_NAME', longest: 5, alphabet: 'single', links: 0 },
      { name: 'email', longest: 0, alphabet: 'single', links: 0 },
    ]);
    const late = () => office.add(organisationId, { 'First name': 'Late', Mobile: '08031234568', Name: 'x' });
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
    await office.smartlists.remove({ id }, newContext({ organisationId }));
    expect(await readAll(organisationId, list)).toEqual(read);
  });

  it.each([
    ['Ada Lovelace @ 5', 'single', 16],
    ['Zoë'.replace('ë', 'è'), 'single', 3],
    ['a[b]~€', 'double', 6],
    ['a`b', 'wide', 3],
    ['Ọlá —', 'wide', 5],
    ['🦁🦁', 'astral', 2],
  ])('tells of %s that its characters are %s', async (cell, alphabet, longest) => {
    const organisationId = await office.organisation();
    await office.add(organisationId, { Name: cell });
    await office.add(organisationId, { Name: 'x' });
    await office.add(organisationId);
    const id = await smartlist(organisationId);
    expect(await open(organisationId, id, ['Name'])).toMatchObject({
      rows: 3,
      columns: [{ alphabet, longest, links: 0 }],
    });
  });

  it('tells how many links a cell has', async () => {
    const organisationId = await office.organisation();
    await office.add(organisationId, { Name: 'see HTTPS://example.com or http://a.b' });
    await office.add(organisationId, { Name: 'see http://a.b, which is somewhere else altogether' });
    const id = await smartlist(organisationId);
    expect(await open(organisationId, id, ['Name'])).toMatchObject({ columns: [{ links: 2 }] });
  });

  it('takes its numbers from the first column of them, or from the one that is named', async () => {
    const organisationId = await office.organisation();
    const table = await addColumn(organisationId, 'Office', 'PHONE NUMBER');
    const columns = byId(table, { Mobile: '08031234567', Office: '08031234568' });
    await office.rows.create({ columns }, newContext({ organisationId }));
    const id = await smartlist(organisationId);
    const phoneOf = async (name?: string) =>
      (await readAll(organisationId, (await open(organisationId, id, [], name)).list))[0]?.phone;
    expect([await phoneOf(), await phoneOf('OFFICE ')]).toEqual(['08031234567', '08031234568']);
    await expect(open(organisationId, id, [], 'Name')).rejects.toMatchObject({
      fields: [{ field: 'phone_column' }],
    });
  });

  it('is not that of another organisation, nor empty, nor too large', async () => {
    const organisationId = await office.organisation();
    const id = await smartlist(organisationId);
    const fault = { status: 400, fields: [{ field: 'smartlist_id' }] };
    await expect(open(await office.organisation(), id)).rejects.toMatchObject(fault);
    await expect(open(organisationId, 'x')).rejects.toMatchObject(fault);
    await expect(open(organisationId, id)).rejects.toMatchObject(fault);
    const { id: tableId } = await office.table(organisationId);
    const tally = (delta: number) =>
      office.database.execute(sql`INSERT INTO contact_tally (table_id, delta) VALUES (${tableId}, ${delta})`);
    await tally(100_000);
    expect(await open(organisationId, id)).toMatchObject({ rows: 100_000 });
    await tally(1);
    await expect(open(organisationId, id)).rejects.toMatchObject({ fields: [{ type: 'too_long' }] });
  });

  it('shows nobody the rows of others', async () => {
    const [one, other] = [await office.organisation(), await office.organisation()];
    await office.add(one, { Mobile: '08031234567' });
    const { list } = await open(one, await smartlist(one));
    expect(await readAll(other, list)).toEqual([]);
  });

  it('is answered in small pages where cells are large', async () => {
    const organisationId = await office.organisation();
    const rows = Array.from({ length: 60 }, () => ({
      id: newId(),
      cells: { a: 'x'.repeat(5_000), b: 'y'.repeat(5_000), c: 'z'.repeat(5_000), d: '08031234567' },
      createdAt: new Date(),
      updatedAt: new Date(),
    }));
    const kept = { rows: () => Promise.resolve(rows) } as unknown as AudienceRepository;
    const service = new AudienceService(
      new TablesRepository(office.database),
      office.queries,
      office.turns,
      kept,
    );
    const columns = ['a', 'b', 'c'].map((id) => ({ id, name: id }));
    const list = writtenDown({ filters: [], snapshot: '', rare: false, phoneId: 'd', columns });
    const first = await service.read({ list, limit: 100 }, newContext({ organisationId }));
    expect(first.more).toBe(true);
    expect(JSON.stringify(first).length).toBeLessThan(300_000);
    expect(first.rows[0]?.cells['a']).toHaveLength(1_601);
  });
});
