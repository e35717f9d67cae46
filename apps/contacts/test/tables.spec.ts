import { type ContactColumnType, contactColumnTypes, hasOptions } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byId, TestContacts, together } from './support/test-contacts.js';

describe('the table', () => {
  let contacts: TestContacts;
  beforeAll(async () => {
    contacts = await TestContacts.open();
  });
  afterAll(() => contacts.close());

  it('is created once by a hundred concurrent readers, with its columns and the smartlist of all contacts', async () => {
    const organisationId = await contacts.organisation();
    const alone = Array.from({ length: 50 }, () => contacts.table(organisationId));
    const batch = together(50, () => contacts.table(organisationId));
    const tables = [...(await Promise.all(alone)), ...(await batch)];
    const [first] = tables;
    expect(new Set(tables.map((table) => JSON.stringify(table)))).toEqual(new Set([JSON.stringify(first)]));
    expect(first).toEqual({
      id: expect.any(String),
      columns: [
        { id: expect.any(String), name: 'Name', type: 'TEXT' },
        { id: expect.any(String), name: 'Email', type: 'EMAIL' },
        { id: expect.any(String), name: 'Mobile', type: 'PHONE NUMBER' },
      ],
      created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
    });
    const counts = await contacts.database.query(sql`
      SELECT (SELECT count(*)::int FROM contact_table WHERE organisation_id = ${organisationId}) AS tables,
        (SELECT count(*)::int FROM contact_column WHERE table_id = ${first?.id}::uuid) AS columns,
        (SELECT count(*)::int FROM smartlist WHERE table_id = ${first?.id}::uuid) AS smartlists`);
    expect(counts).toEqual([{ tables: 1, columns: 3, smartlists: 1 }]);
  });

  it('accepts columns of every type, and shows when it changed', async () => {
    const organisationId = await contacts.organisation();
    const add = (name: string, type: ContactColumnType, options?: string[]) =>
      contacts.tables.addColumn({ name, type, ...(options && { options }) }, newContext({ organisationId }));
    for (const type of contactColumnTypes)
      await add(`A ${type}`, type, hasOptions(type) ? ['one', 'two'] : undefined);
    const { columns, updated_datetime } = await contacts.table(organisationId);
    expect(columns.slice(3).map(({ type }) => type)).toEqual([...contactColumnTypes]);
    expect(columns.find(({ type }) => type === 'SELECT')).toMatchObject({ options: ['one', 'two'] });
    expect(columns.find(({ type }) => type === 'TEXT')).not.toHaveProperty('options');
    expect(updated_datetime).toEqual(expect.any(String));
    await expect(add('a text', 'TEXT')).rejects.toMatchObject({ status: 400, fields: [{ field: 'name' }] });
    await expect(add('x', 'SELECT')).rejects.toMatchObject({
      fields: [{ field: 'options', type: 'missing' }],
    });
    await expect(add('x', 'TEXT', ['a'])).rejects.toMatchObject({ fields: [{ field: 'options' }] });
    await expect(add('x', 'SELECT', ['a', 'a '])).rejects.toMatchObject({ fields: [{ field: 'options' }] });
  });

  it('adds a column once if the queue runs the request again', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const request = { name: 'Age', type: 'NUMBER' } as const;
    const first = await contacts.tables.addColumn(request, context);
    expect(await contacts.tables.addColumn(request, context)).toEqual(first);
    const { column, ...table } = first;
    expect(column).toEqual(table.columns.at(-1));
    expect([column.id, table]).toEqual([context.operationId, await contacts.tables.read(context)]);
  });

  it('has at most a hundred columns when many are added at once', async () => {
    const organisationId = await contacts.organisation();
    await contacts.table(organisationId);
    const added = await Promise.allSettled(
      Array.from({ length: 110 }, (_, index) =>
        contacts.tables.addColumn({ name: `n${index}`, type: 'TEXT' }, newContext({ organisationId })),
      ),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(97);
    expect((await contacts.table(organisationId)).columns).toHaveLength(100);
  });

  it('renames a column and keeps its cells', async () => {
    const organisationId = await contacts.organisation();
    const rowId = await contacts.add(organisationId, { Name: 'Ada' });
    const [column] = (await contacts.table(organisationId)).columns;
    const context = newContext({ organisationId });
    await contacts.tables.changeColumn({ id: column?.id ?? '', name: ' Full name ' }, context);
    const { row, table } = await contacts.rows.find({ id: rowId }, context);
    expect(table.columns[0]?.name).toBe('Full name');
    expect(row.columns).toEqual({ [column?.id ?? '']: 'Ada' });
    await expect(
      contacts.tables.changeColumn({ id: column?.id ?? '', name: 'email' }, context),
    ).rejects.toMatchObject({ status: 400 });
    await expect(contacts.tables.changeColumn({ id: newId(), name: 'x' }, context)).rejects.toMatchObject({
      status: 404,
    });
  });

  it('hides a removed column and its cells at once, clears the cells, and frees its name', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const rowId = await contacts.add(organisationId, { Name: 'Ada', Mobile: '0803 123 4567' });
    const table = await contacts.table(organisationId);
    const mobile = table.columns[2]?.id ?? '';
    await contacts.tables.removeColumn({ id: mobile }, context);
    const { row } = await contacts.rows.find({ id: rowId }, context);
    expect(row.columns).toEqual(byId(table, { Name: 'Ada' }));
    await expect(
      contacts.rows.patch({ id: rowId, columns: { [mobile]: '08031234567' } }, context),
    ).rejects.toMatchObject({ fields: [{ field: `columns.${mobile}` }] });
    await contacts.tables.addColumn({ name: 'Mobile', type: 'TEXT' }, context);
    await contacts.database.execute(
      sql`UPDATE contact_column SET removed_at = removed_at - interval '2 minutes' WHERE id = ${mobile}`,
    );
    while (await contacts.removedColumns.clear());
    const kept = await contacts.database.query(sql`
      SELECT cells, matched, (SELECT count(*)::int FROM contact_column WHERE id = ${mobile}) AS columns
      FROM contact_row WHERE table_id = ${table.id}`);
    expect(kept).toEqual([{ cells: byId(table, { Name: 'Ada' }), matched: {}, columns: 0 }]);
  });

  it('keeps a column that a smartlist filters by', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    const { columns } = await contacts.table(organisationId);
    const filters = [{ name: 'Name', operator: 'contain', value: 'ada' } as const];
    const { id } = await contacts.smartlists.create(
      { name: 'Adas', filters },
      newContext({ organisationId }),
    );
    const removal = () => contacts.tables.removeColumn({ id: columns[0]?.id ?? '' }, context);
    await expect(removal()).rejects.toMatchObject({ status: 409, code: 'in_use' });
    await contacts.smartlists.remove({ id }, context);
    expect((await removal()).columns.map(({ name }) => name)).toEqual(['Email', 'Mobile']);
  });
});
