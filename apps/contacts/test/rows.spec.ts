import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { until } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byId, Office, together } from './support/office.js';

const hostile = `%_\\ ' " $1 {{x}} 😀 <b>`;

let office: Office;
beforeAll(async () => {
  office = await Office.open();
}, 60_000);
afterAll(() => office.close());

describe('rows', () => {
  let organisationId: string;
  beforeAll(async () => {
    organisationId = await office.organisation();
  });

  const context = () => newContext({ organisationId });
  const columnId = async (name: string) => {
    const { columns } = await office.table(organisationId);
    return columns.find((column) => column.name === name)?.id ?? '';
  };

  it('are answered as specified, cells as they were written', async () => {
    const table = await office.table(organisationId);
    const columns = byId(table, { Name: hostile, Email: ' Ada@example.com', Mobile: '0803 123 4567' });
    const made = context();
    const answer = await office.rows.create({ columns }, made);
    expect(answer).toEqual({
      row: {
        id: made.operationId,
        columns: byId(table, { Name: hostile, Email: 'Ada@example.com', Mobile: '0803 123 4567' }),
        created_datetime: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}000\+00:00$/),
        updated_datetime: answer.row.created_datetime,
      },
      table,
    });
    expect(await office.rows.find({ id: made.operationId.toUpperCase() }, context())).toEqual(answer);
    expect(await office.rows.create({ columns }, made)).toEqual(answer);
  });

  it('are locked in their order by those who delete several', async () => {
    const ids = [await office.add(organisationId), await office.add(organisationId)].sort();
    const [first = '', second = ''] = ids;
    const lock = (id: string) => sql`SELECT id FROM contact_row WHERE id = ${id}::uuid FOR UPDATE NOWAIT`;
    let removing: Promise<unknown> | undefined;
    await office.database.transaction(async (transaction) => {
      await transaction.query(lock(first));
      removing = together(2, (nth) => office.rows.remove({ id: ids[1 - nth] ?? '' }, context()));
      await until('the DELETE waits for a lock', async () => {
        const waiting = await office.database.query(
          sql`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%DELETE FROM contact_row%'`,
        );
        return waiting.length > 0;
      });
      expect(await transaction.query(lock(second))).toHaveLength(1);
    });
    expect(await removing).toHaveLength(2);
  });

  it('are found by nobody else, and are gone when they are deleted', async () => {
    const id = await office.add(organisationId, { Name: 'Ada' });
    const stranger = () => newContext({ organisationId: other });
    const other = await office.organisation();
    for (const attempt of [
      office.rows.find({ id }, stranger()),
      office.rows.patch({ id, columns: {} }, stranger()),
      office.rows.remove({ id }, stranger()),
      office.rows.find({ id: newId() }, context()),
      office.rows.find({ id: '..' }, context()),
    ])
      await expect(attempt).rejects.toMatchObject({ status: 404, message: 'The row was not found' });
    expect(await office.rows.remove({ id }, context())).toMatchObject({ row: { id } });
    await expect(office.rows.find({ id }, context())).rejects.toMatchObject({ status: 404 });
    await expect(office.rows.remove({ id }, context())).rejects.toMatchObject({ status: 404 });
  });

  it('name every bad cell, and then nothing is written', async () => {
    const table = await office.table(organisationId);
    const id = await office.add(organisationId, { Name: 'Ada', Email: 'ada@example.com' });
    const before = await office.rows.find({ id }, context());
    const columns = { ...byId(table, { Name: 'Eve', Email: 'no', Mobile: '112' }), [newId()]: 'x', y: 'x' };
    const refused = {
      status: 400,
      fields: ['email', 'phone', 'value_error', 'value_error'].map((type) => ({ type })),
    };
    await expect(office.rows.patch({ id, columns }, context())).rejects.toMatchObject(refused);
    await expect(office.rows.create({ columns }, context())).rejects.toMatchObject(refused);
    expect(await office.rows.find({ id }, context())).toEqual(before);
    const values = {
      [await columnId('Name')]: 5,
      [await columnId('Email')]: { a: 1 },
      [await columnId('Mobile')]: null,
    };
    await expect(office.rows.create({ columns: values }, context())).rejects.toMatchObject({
      fields: [{ type: 'string_type' }, { type: 'string_type' }],
    });
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key${index}`, 'x']));
    await expect(office.rows.create({ columns: many }, context())).rejects.toMatchObject({ status: 400 });
  });

  it('say that cells are named by the ids of their columns to whoever names them otherwise', async () => {
    await expect(
      office.rows.create({ columns: { ' name': 'Ada', Shoes: '38' } }, context()),
    ).rejects.toMatchObject({
      fields: [
        { field: 'columns. name', message: expect.stringContaining("use the column's id") },
        { field: 'columns.Shoes', message: 'columns.Shoes is no column of the table' },
      ],
    });
  });

  it.each(['x', newId()])('are unknown before their cells are bad: %s', async (id) => {
    const columns = { [await columnId('Email')]: 'no' };
    await expect(office.rows.patch({ id, columns }, context())).rejects.toMatchObject({ status: 404 });
  });

  it('keep what a patch does not name, empty what it says, and move their time', async () => {
    const table = await office.table(organisationId);
    const id = await office.add(organisationId, { Name: 'Ada', Mobile: '08031234567' });
    const created = (await office.rows.find({ id }, context())).row;
    const columns = byId(table, { Email: 'ada@example.com', Mobile: '' });
    const { row } = await office.rows.patch({ id, columns }, context());
    expect(row.columns).toEqual(byId(table, { Name: 'Ada', Email: 'ada@example.com' }));
    expect(row.created_datetime).toBe(created.created_datetime);
    expect(row.updated_datetime >= created.updated_datetime).toBe(true);
    const [kept] = await office.database.query(sql`SELECT matched FROM contact_row WHERE id = ${id}`);
    expect(kept).toEqual({ matched: {} });
  });

  it.each(['one batch', 'many transactions'])('lose no patch of fifty at once, in %s', async (how) => {
    const own = await office.organisation();
    const mine = () => newContext({ organisationId: own });
    for (let index = 0; index < 50; index += 1)
      await office.tables.addColumn({ name: `n${index}`, type: 'NUMBER' }, mine());
    const { columns } = await office.table(own);
    const id = await office.add(own, { Name: 'Ada' });
    const patch = (index: number) =>
      office.rows.patch({ id, columns: { [columns[index + 3]?.id ?? '']: `0${index}` } }, mine());
    if (how === 'one batch') {
      const statements = jest.spyOn(office.database, 'query');
      await together(50, patch);
      expect(statements.mock.calls.length).toBeLessThan(10);
      statements.mockRestore();
    } else await Promise.all(Array.from({ length: 50 }, (_, index) => patch(index)));
    const { row } = await office.rows.find({ id }, mine());
    expect(Object.values(row.columns)).toEqual([
      'Ada',
      ...Array.from({ length: 50 }, (_, index) => `0${index}`),
    ]);
  });

  it('lets the later of two patches of one cell win within a batch', async () => {
    const id = await office.add(organisationId, { Name: 'Ada', Mobile: '08031234567' });
    const [name, mobile] = [await columnId('Name'), await columnId('Mobile')];
    const patches = [
      { [name]: 'Eve' },
      { [name]: '', [mobile]: '0803 999 9999' },
      { [mobile]: '' },
      { [name]: 'Zoe' },
    ];
    await together(4, (index) => office.rows.patch({ id, columns: patches[index] ?? {} }, context()));
    expect((await office.rows.find({ id }, context())).row.columns).toEqual({ [name]: 'Zoe' });
  });

  it('are counted by tallies, also after these were added up', async () => {
    const own = await office.organisation();
    const ids = await together(20, () => office.add(own, { Name: 'Ada' }));
    await office.rows.remove({ id: ids[0] ?? '' }, newContext({ organisationId: own }));
    const total = async () => (await office.query(own)).meta.pagination.count_total;
    expect(await total()).toBe(19);
    while (await office.upkeep.addUpTallies());
    expect(await total()).toBe(19);
    await office.add(own);
    await Promise.all([office.upkeep.addUpTallies(), office.upkeep.addUpTallies(), office.add(own)]);
    expect(await total()).toBe(21);
  });
});

describe('upserting', () => {
  async function desk() {
    const organisationId = await office.organisation();
    const table = await office.table(organisationId);
    const [name = '', email = '', mobile = ''] = table.columns.map(({ id }) => id);
    const upsert = (
      columnId: string,
      rows: { written: Record<string, string>; matched?: Record<string, string> }[],
    ) =>
      office.database.transaction((transaction) =>
        office.upserts.upsert(
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
    const all = async () => (await office.query(organisationId)).rows.map(({ columns }) => columns);
    return { name, email, mobile, upsert, all };
  }

  it('changes what agrees, without case and in the compared form, and adds the rest', async () => {
    const { name, email, mobile, upsert, all } = await desk();
    expect(
      await upsert(email, [
        { written: { [email]: 'Ada@example.com', [name]: 'Ada' } },
        { written: { [email]: 'bola@example.com' } },
        {
          written: { [email]: 'ADA@EXAMPLE.COM', [mobile]: '08031234567' },
          matched: { [mobile]: '+2348031234567' },
        },
        { written: { [name]: 'nobody' } },
        { written: { [name]: 'nobody' } },
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
      { [name]: 'nobody' },
      { [name]: 'nobody' },
    ]);
  });

  it('adds nothing twice, though many do the same at once', async () => {
    const { email, upsert, all } = await desk();
    const rows = Array.from({ length: 20 }, (_, index) => ({
      written: { [email]: `p${index}@example.com` },
    }));
    const done = await Promise.all(Array.from({ length: 8 }, () => upsert(email, rows)));
    expect(done.reduce((sum, { created }) => sum + created, 0)).toBe(20);
    expect(await all()).toHaveLength(20);
  });
});
