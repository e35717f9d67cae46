import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byId, TestContacts, together } from './support/test-contacts.js';

const hostile = `%_\\ ' " $1 {{x}} 😀 <b>`;

let contacts: TestContacts;
beforeAll(async () => {
  contacts = await TestContacts.open();
});
afterAll(() => contacts.close());

describe('rows', () => {
  let organisationId: string;
  beforeAll(async () => {
    organisationId = await contacts.organisation();
  });

  const context = () => newContext({ organisationId });
  const columnId = async (name: string) => {
    const { columns } = await contacts.table(organisationId);
    return columns.find((column) => column.name === name)?.id ?? '';
  };

  it('are returned as specified, with cells as they were written', async () => {
    const table = await contacts.table(organisationId);
    const columns = byId(table, { Name: hostile, Email: ' Ada@example.com', Mobile: '0803 123 4567' });
    const made = context();
    const answer = await contacts.rows.create({ columns }, made);
    expect(answer).toEqual({
      row: {
        id: made.operationId,
        columns: byId(table, { Name: hostile, Email: 'Ada@example.com', Mobile: '0803 123 4567' }),
        created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
        updated_datetime: answer.row.created_datetime,
      },
      table,
    });
    expect(await contacts.rows.find({ id: made.operationId.toUpperCase() }, context())).toEqual(answer);
    expect(await contacts.rows.create({ columns }, made)).toEqual(answer);
  });

  it('are written and returned by column name on demand', async () => {
    const own = await contacts.organisation();
    const mine = () => newContext({ organisationId: own });
    const table = await contacts.table(own);
    const by = 'name';
    const created = await contacts.rows.create({ columns: { ' NAME ': 'Ada', Email: '' }, by }, mine());
    expect(created).toMatchObject({ row: { columns: { Name: 'Ada' } }, table });
    const { id } = created.row;
    const columns = { mobile: '0803 123 4567', Email: 'ada@example.com' };
    const patched = await contacts.rows.patch({ id, columns, by }, mine());
    const named = { Name: 'Ada', Email: 'ada@example.com', Mobile: '0803 123 4567' };
    expect(patched.row.columns).toEqual(named);
    expect(await contacts.rows.find({ id, by }, mine())).toEqual(patched);
    expect(await contacts.rows.find({ id, by: 'id' }, mine())).toEqual(
      await contacts.rows.find({ id }, mine()),
    );
    expect((await contacts.rows.find({ id }, mine())).row.columns).toEqual(byId(table, named));
    const found = await contacts.queries.query({ rows: {}, page: { by } }, mine());
    expect(found.rows).toEqual([patched.row]);
    const wrong = { ...byId(table, { Name: 'Eve' }), Mobile: '4155552671' };
    await expect(contacts.rows.patch({ id, columns: wrong, by }, mine())).rejects.toMatchObject({
      fields: [
        { type: 'value_error', message: expect.stringContaining('does not match a column of this table') },
        {
          field: 'columns.Mobile',
          type: 'phone',
          message: expect.not.stringContaining('4155552671'),
        },
      ],
    });
    await expect(contacts.rows.create({ columns: { Name: 'Eve' } }, mine())).rejects.toMatchObject({
      fields: [{ field: 'columns.Name', message: expect.stringContaining('?by=name') }],
    });
    expect((await contacts.rows.remove({ id, by }, mine())).row.columns).toEqual(named);
  });

  it.each(['id', 'name'] as const)('reject two cells of one column, by %s', async (by) => {
    const key = by === 'name' ? 'Name' : await columnId('Name');
    const columns = { [key]: 'Ada', [key.toUpperCase()]: '' };
    await expect(contacts.rows.create({ columns, by }, context())).rejects.toMatchObject({
      fields: [
        {
          field: `columns.${key.toUpperCase()}`,
          message: expect.stringContaining('second cell of the column'),
        },
      ],
    });
  });

  it('are locked in order when several are deleted', async () => {
    const ids = [await contacts.add(organisationId), await contacts.add(organisationId)].sort();
    const [first = '', second = ''] = ids;
    const lock = (id: string) => sql`SELECT id FROM contact_row WHERE id = ${id}::uuid FOR UPDATE NOWAIT`;
    let removing: Promise<unknown> | undefined;
    await contacts.database.transaction(async (transaction) => {
      await transaction.query(lock(first));
      removing = together(2, (nth) => contacts.rows.remove({ id: ids[1 - nth] ?? '' }, context()));
      await until('the DELETE waits for a lock', async () => {
        const waiting = await contacts.database.query(
          sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM contact_row%'`,
        );
        return waiting.length > 0;
      });
      expect(await transaction.query(lock(second))).toHaveLength(1);
    });
    expect(await removing).toHaveLength(2);
  });

  it('are hidden from other organisations, and gone after a delete', async () => {
    const id = await contacts.add(organisationId, { Name: 'Ada' });
    const stranger = () => newContext({ organisationId: other });
    const other = await contacts.organisation();
    for (const attempt of [
      contacts.rows.find({ id }, stranger()),
      contacts.rows.patch({ id, columns: {} }, stranger()),
      contacts.rows.remove({ id }, stranger()),
      contacts.rows.find({ id: newId() }, context()),
      contacts.rows.find({ id: '..' }, context()),
    ])
      await expect(attempt).rejects.toMatchObject({ status: 404, message: 'The row was not found' });
    expect(await contacts.rows.remove({ id }, context())).toMatchObject({ row: { id } });
    await expect(contacts.rows.find({ id }, context())).rejects.toMatchObject({ status: 404 });
    await expect(contacts.rows.remove({ id }, context())).rejects.toMatchObject({ status: 404 });
  });

  it('are not written if a cell is invalid; the error names every such cell', async () => {
    const table = await contacts.table(organisationId);
    const id = await contacts.add(organisationId, { Name: 'Ada', Email: 'ada@example.com' });
    const before = await contacts.rows.find({ id }, context());
    const columns = { ...byId(table, { Name: 'Eve', Email: 'no', Mobile: '112' }), [newId()]: 'x', y: 'x' };
    const refused = {
      status: 400,
      fields: ['email', 'phone', 'value_error', 'value_error'].map((type) => ({ type })),
    };
    await expect(contacts.rows.patch({ id, columns }, context())).rejects.toMatchObject(refused);
    await expect(contacts.rows.create({ columns }, context())).rejects.toMatchObject(refused);
    expect(await contacts.rows.find({ id }, context())).toEqual(before);
    const values = {
      [await columnId('Name')]: 5,
      [await columnId('Email')]: { a: 1 },
      [await columnId('Mobile')]: null,
    };
    await expect(contacts.rows.create({ columns: values }, context())).rejects.toMatchObject({
      fields: [{ type: 'string_type' }, { type: 'string_type' }],
    });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'x']));
    await expect(contacts.rows.create({ columns: many }, context())).rejects.toMatchObject({ status: 400 });
  });

  it('explain that cells are named by column id', async () => {
    await expect(
      contacts.rows.create({ columns: { ' name': 'Ada', Shoes: '38' } }, context()),
    ).rejects.toMatchObject({
      fields: [
        { field: 'columns. name', message: expect.stringContaining('use the id of the column') },
        { field: 'columns.Shoes', message: 'columns.Shoes does not match a column of this table' },
      ],
    });
  });

  it.each(['x', newId()])('report an unknown row before invalid cells: %s', async (id) => {
    const columns = { [await columnId('Email')]: 'no' };
    await expect(contacts.rows.patch({ id, columns }, context())).rejects.toMatchObject({ status: 404 });
  });

  it('keep cells that a patch does not name, empty blank ones, and update their time', async () => {
    const table = await contacts.table(organisationId);
    const id = await contacts.add(organisationId, { Name: 'Ada', Mobile: '08031234567' });
    const created = (await contacts.rows.find({ id }, context())).row;
    const columns = byId(table, { Email: 'ada@example.com', Mobile: '' });
    const { row } = await contacts.rows.patch({ id, columns }, context());
    expect(row.columns).toEqual(byId(table, { Name: 'Ada', Email: 'ada@example.com' }));
    expect(row.created_datetime).toBe(created.created_datetime);
    expect(row.updated_datetime >= created.updated_datetime).toBe(true);
    const [kept] = await contacts.database.query(sql`SELECT matched FROM contact_row WHERE id = ${id}`);
    expect(kept).toEqual({ matched: {} });
  });

  it.each(['one batch', 'many transactions'])('keep all of fifty concurrent patches, in %s', async (how) => {
    const own = await contacts.organisation();
    const mine = () => newContext({ organisationId: own });
    for (let index = 0; index < 50; index += 1)
      await contacts.tables.addColumn({ name: `n${index}`, type: 'NUMBER' }, mine());
    const { columns } = await contacts.table(own);
    const id = await contacts.add(own, { Name: 'Ada' });
    const patch = (index: number) =>
      contacts.rows.patch({ id, columns: { [columns[index + 3]?.id ?? '']: `0${index}` } }, mine());
    if (how === 'one batch') {
      const statements = jest.spyOn(contacts.database, 'query');
      await together(50, patch);
      expect(statements.mock.calls.length).toBeLessThan(10);
      statements.mockRestore();
    } else await Promise.all(Array.from({ length: 50 }, (_, index) => patch(index)));
    const { row } = await contacts.rows.find({ id }, mine());
    expect(Object.values(row.columns)).toEqual([
      'Ada',
      ...Array.from({ length: 50 }, (_, index) => `0${index}`),
    ]);
  });

  it('take the later of two patches of one cell within a batch', async () => {
    const id = await contacts.add(organisationId, { Name: 'Ada', Mobile: '08031234567' });
    const [name, mobile] = [await columnId('Name'), await columnId('Mobile')];
    const patches = [
      { [name]: 'Eve' },
      { [name]: '', [mobile]: '0803 999 9999' },
      { [mobile]: '' },
      { [name]: 'Zoe' },
    ];
    await together(4, (index) => contacts.rows.patch({ id, columns: patches[index] ?? {} }, context()));
    expect((await contacts.rows.find({ id }, context())).row.columns).toEqual({ [name]: 'Zoe' });
  });

  it('are counted by tallies, also after these were summed', async () => {
    const own = await contacts.organisation();
    const ids = await together(20, () => contacts.add(own, { Name: 'Ada' }));
    await contacts.rows.remove({ id: ids[0] ?? '' }, newContext({ organisationId: own }));
    const total = async () => (await contacts.query(own)).meta.pagination.count_total;
    expect(await total()).toBe(19);
    while (await contacts.tallies.sum());
    expect(await total()).toBe(19);
    await contacts.add(own);
    await Promise.all([contacts.tallies.sum(), contacts.tallies.sum(), contacts.add(own)]);
    expect(await total()).toBe(21);
  });
});

describe('upserting', () => {
  async function prepare() {
    const organisationId = await contacts.organisation();
    const table = await contacts.table(organisationId);
    const [name = '', email = '', mobile = ''] = table.columns.map(({ id }) => id);
    const upsert = (
      columnId: string,
      rows: { written: Record<string, string>; matched?: Record<string, string> }[],
    ) =>
      contacts.database.transaction((transaction) =>
        contacts.upserts.upsert(
          transaction,
          columnId,
          rows.map((row) => ({
            tableId: table.id,
            id: newId(),
            createdAt: new Date(),
            matched: {},
            cleared: [],
            ...row,
          })),
        ),
      );
    const all = async () => (await contacts.query(organisationId)).rows.map(({ columns }) => columns);
    return { name, email, mobile, upsert, all };
  }

  it('changes rows with an equal value, and adds the others', async () => {
    const { name, email, mobile, upsert, all } = await prepare();
    expect(
      await upsert(email, [
        { written: { [email]: 'Ada@example.com', [name]: 'Ada' } },
        { written: { [email]: 'bola@example.com' } },
        {
          written: { [email]: 'ADA@EXAMPLE.COM', [mobile]: '08031234567' },
          matched: { [mobile]: '+2348031234567' },
        },
        { written: { [name]: 'no address' } },
        { written: { [name]: 'no address' } },
      ]),
    ).toEqual({ created: 4, updated: 1 });
    expect(await upsert(email, [{ written: { [email]: 'bola@EXAMPLE.com', [name]: 'Bola' } }])).toEqual({
      created: 0,
      updated: 1,
    });
    const again = {
      written: { [mobile]: '+234 803 123 4567', [name]: 'A.' },
      matched: { [mobile]: '+2348031234567' },
    };
    expect(await upsert(mobile, [again])).toEqual({ created: 0, updated: 1 });
    expect(await all()).toEqual([
      { [email]: 'ADA@EXAMPLE.COM', [name]: 'A.', [mobile]: '+234 803 123 4567' },
      { [email]: 'bola@EXAMPLE.com', [name]: 'Bola' },
      { [name]: 'no address' },
      { [name]: 'no address' },
    ]);
  });

  it('adds no row twice when many run at once', async () => {
    const { email, upsert, all } = await prepare();
    const rows = Array.from({ length: 20 }, (_, index) => ({
      written: { [email]: `p${index}@example.com` },
    }));
    const done = await Promise.all(Array.from({ length: 8 }, () => upsert(email, rows)));
    expect(done.reduce((sum, { created }) => sum + created, 0)).toBe(20);
    expect(await all()).toHaveLength(20);
  });
});
