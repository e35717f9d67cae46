import type { ContactFilter, ContactOperator } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestContacts, together } from './support/test-contacts.js';

const named = (operator: ContactOperator, value?: string): ContactFilter[] => [
  { name: 'Name', operator, ...(value !== undefined && { value }) },
];

let contacts: TestContacts;
beforeAll(async () => {
  contacts = await TestContacts.open();
});
afterAll(() => contacts.close());

describe('a query', () => {
  let organisationId: string;
  beforeAll(async () => {
    organisationId = await contacts.organisation();
    await together(25, (index) => contacts.add(organisationId, { Name: `Ada ${index}` }));
  });

  const ask = (filters?: readonly ContactFilter[], page?: object, smartlistId?: string) =>
    contacts.query(organisationId, filters, page, smartlistId);
  const refusal = (fields: object[]) => ({ status: 400, code: 'invalid_request', fields });

  it('replies as specified', async () => {
    const answer = await ask();
    expect(Object.keys(answer)).toEqual(['rows', 'table', 'smartlist', 'meta']);
    expect(answer).toMatchObject({
      table: await contacts.table(organisationId),
      smartlist: { name: 'All contacts', filters: [] },
      meta: {
        method: 'POST',
        resource: '/lists/contact/rows/query',
        pagination: {
          next_page: 'false',
          prev_page: 'false',
          per_page: 100,
          count_total: 25,
          page_total: 1,
          page: 1,
          query_id: expect.any(String),
        },
      },
    });
    const { smartlist, rows } = answer;
    expect(smartlist.updated_datetime).toBe(smartlist.created_datetime);
    expect(rows.map(({ id }) => id)).toEqual(rows.map(({ id }) => id).sort());
    expect(rows).toHaveLength(25);
  });

  it.each([
    [1, 25, 25, ['false', 'false', 1]],
    [1, 24, 24, ['true', 'false', 2]],
    [2, 24, 1, ['false', 'true', 2]],
    [3, 24, 0, ['false', 'true', 2]],
    [5, 5, 5, ['false', 'true', 5]],
    [4, 5, 5, ['true', 'true', 5]],
    [1, 1, 1, ['true', 'false', 25]],
    [25, 1, 1, ['false', 'true', 25]],
    [26, 1, 0, ['false', 'true', 25]],
    [999_999_999_999_999, 1_000, 0, ['false', 'true', 1]],
    [3_000_000_000, 1, 0, ['false', 'true', 25]],
  ])('paginates page %i of %i rows each', async (page, perPage, many, [next, prev, total]) => {
    for (const filters of [[], named('contain', 'ada'), named('is_not_empty')]) {
      const answer = await ask(filters, { page, per_page: perPage });
      expect(answer.rows).toHaveLength(many);
      const expected = { next_page: next, prev_page: prev, page_total: total, per_page: perPage, page };
      expect(answer.meta.pagination).toMatchObject({ ...expected, count_total: 25 });
    }
  });

  it('is empty for an empty table', async () => {
    const empty = await contacts.organisation();
    const pagination = { next_page: 'false', prev_page: 'false', count_total: 0, page_total: 0, page: 1 };
    for (const filters of [[], named('contain', 'ada')])
      expect(await contacts.query(empty, filters)).toMatchObject({ rows: [], meta: { pagination } });
  });

  it('accepts `limit` for `per_page`', async () => {
    expect((await ask([], { limit: 7 })).rows).toHaveLength(7);
    expect((await ask([], { limit: 7, per_page: 3 })).rows).toHaveLength(3);
  });

  it('combines filters by AND, also with those of a smartlist', async () => {
    const filters = named('start_with', 'ADA 1');
    const { id } = await contacts.smartlists.create(
      { name: 'Ones', filters },
      newContext({ organisationId }),
    );
    expect((await ask([], {}, id)).meta.pagination.count_total).toBe(11);
    const narrowed = await ask(named('end_with', '5'), {}, id.toUpperCase());
    expect(narrowed.rows.map(({ columns }) => Object.values(columns)[0])).toEqual(['Ada 15']);
    expect(narrowed.smartlist).toMatchObject({ id, name: 'Ones', filters: [{ operator: 'start_with' }] });
  });

  it('accepts columns by id or name, and reports unknown ones', async () => {
    const [name] = (await contacts.table(organisationId)).columns;
    const both = {
      column_id: name?.id.toUpperCase() ?? '',
      name: 'Email',
      operator: 'is_not_empty',
    } as const;
    expect((await ask([both])).rows).toHaveLength(25);
    expect((await ask([{ name: ' name ', operator: 'is_not_empty' }])).rows).toHaveLength(25);
    const stranger = (await contacts.table(await contacts.organisation())).columns[0]?.id ?? '';
    const bad: ContactFilter[] = [
      { column_id: newId(), operator: 'is_empty' },
      { column_id: stranger, operator: 'is_empty' },
      { name: 'Shoe size', operator: 'is_empty' },
    ];
    await expect(ask(bad, {}, newId())).rejects.toMatchObject(
      refusal([
        { field: 'smartlist_id', type: 'value_error' },
        { field: 'filters.0.column_id', type: 'value_error' },
        { field: 'filters.1.column_id', type: 'value_error' },
        { field: 'filters.2.name', type: 'value_error' },
      ]),
    );
  });

  it('requires a number or date for order operators, but not for equality', async () => {
    const own = await contacts.organisation();
    for (const type of ['NUMBER', 'DATE'] as const)
      await contacts.tables.addColumn({ name: type, type }, newContext({ organisationId: own }));
    const order = (name: string, operator: ContactOperator) => [{ name, operator, value: 'soon' }];
    await expect(contacts.query(own, order('NUMBER', 'greater_than'))).rejects.toMatchObject({
      fields: [{ field: 'filters.0.value', type: 'value_error' }],
    });
    await expect(contacts.query(own, order('DATE', 'before'))).rejects.toMatchObject({
      fields: [{ field: 'filters.0.value', type: 'date' }],
    });
    expect((await contacts.query(own, order('NUMBER', 'equal'))).rows).toEqual([]);
  });

  describe('that is continued', () => {
    const refused = { status: 400, fields: [{ field: 'query_id', type: 'value_error' }] };

    it('requires the same filters, organisation and page size, before it expires', async () => {
      const { meta } = await ask(named('contain', 'Ada'), { per_page: 10 });
      const { query_id: id } = meta.pagination;
      const on = { query_id: id, page: 2 };
      expect((await ask(named('contain', 'Ada'), on)).rows).toHaveLength(10);
      expect((await ask(named('contain', 'Ada'), { ...on, per_page: 10 })).rows).toHaveLength(10);
      const everyone = (await contacts.smartlists.list(newContext({ organisationId })))[0]?.id;
      expect((await ask(named('contain', 'Ada'), on, everyone)).rows).toHaveLength(10);
      for (const attempt of [
        ask(named('contain', 'Bola'), on),
        ask(named('start_with', 'Ada'), on),
        ask([], on),
        ask(named('contain', 'Ada'), { ...on, per_page: 11 }),
        ask(named('contain', 'Ada'), { ...on, query_id: newId() }),
        ask(named('contain', 'Ada'), { ...on, query_id: 'x' }),
        ask(named('contain', 'Ada'), { ...on, query_id: '' }),
        contacts.query(await contacts.organisation(), named('contain', 'Ada'), on),
      ])
        await expect(attempt).rejects.toMatchObject(refused);
      await contacts.database.execute(
        sql`UPDATE contact_scroll SET expires_at = now() - interval '1 ms' WHERE id = ${id}`,
      );
      await expect(ask(named('contain', 'Ada'), on)).rejects.toMatchObject(refused);
    });

    it('is the same query if the queue runs it again', async () => {
      const organisationId = await contacts.organisation();
      const context = newContext({ organisationId });
      for (let nth = 0; nth < 3; nth += 1) await contacts.add(organisationId);
      const ask = (page: object) =>
        contacts.queries.query({ rows: {}, page: { per_page: 2, ...page } }, context);
      const first = await ask({});
      await contacts.add(organisationId);
      const again = await ask({});
      expect(again).toEqual(first);
      const { query_id } = again.meta.pagination;
      expect((await ask({ query_id, page: 2 })).meta.pagination).toMatchObject({ count_total: 3 });
    });

    it('expires unless it is used', async () => {
      const { query_id: ended } = (await ask([], { per_page: 5 })).meta.pagination;
      const { query_id: used } = (await ask([], { per_page: 5 })).meta.pagination;
      const pass = (id: string, minutes: number) =>
        contacts.database.execute(
          sql`UPDATE contact_scroll SET expires_at = expires_at - ${minutes} * interval '1 minute' WHERE id = ${id}`,
        );
      await pass(used, 10);
      await ask([], { query_id: used, page: 2 });
      await Promise.all([pass(used, 10), pass(ended, 20)]);
      while (await contacts.retention.prune());
      expect((await ask([], { query_id: used, page: 3 })).rows).toHaveLength(5);
      expect(
        await contacts.database.query(sql`SELECT id FROM contact_scroll WHERE id IN (${ended}, ${used})`),
      ).toEqual([{ id: used }]);
    });
  });
});

describe('a smartlist', () => {
  it('is created, listed, changed and deleted; filters name columns by id', async () => {
    const organisationId = await contacts.organisation();
    const context = () => newContext({ organisationId });
    const [name] = (await contacts.table(organisationId)).columns;
    const making = context();
    const made = await contacts.smartlists.create(
      { name: ' Adas ', filters: named('contain', 'ada') },
      making,
    );
    expect(made).toEqual({
      id: making.operationId,
      name: 'Adas',
      filters: [{ column_id: name?.id, operator: 'contain', value: 'ada' }],
      created_datetime: expect.any(String),
      updated_datetime: made.created_datetime,
    });
    const again = { name: 'Adas', filters: [] };
    expect(await contacts.smartlists.create(again, making)).toEqual(made);
    await expect(contacts.smartlists.create(again, context())).rejects.toMatchObject({
      fields: [{ field: 'name' }],
    });
    expect((await contacts.smartlists.list(context())).map((each) => each.name)).toEqual([
      'All contacts',
      'Adas',
    ]);
    const changed = await contacts.smartlists.change(
      { id: made.id, name: 'Eves', filters: named('is_empty') },
      context(),
    );
    expect(changed).toMatchObject({ name: 'Eves', filters: [{ column_id: name?.id, operator: 'is_empty' }] });
    expect(await contacts.smartlists.find({ id: made.id }, context())).toEqual(changed);
    const long = named('contain', '😀'.repeat(5_000));
    expect(await contacts.smartlists.change({ id: made.id, filters: long }, context())).toMatchObject({
      filters: [{ value: long[0]?.value }],
    });
    const bad = { name: 'x', filters: [{ name: 'y', operator: 'contain', value: 'z' } as const] };
    await expect(contacts.smartlists.create(bad, context())).rejects.toMatchObject({
      fields: [{ field: 'filters.0.name' }],
    });
    const stranger = newContext({ organisationId: await contacts.organisation() });
    await expect(contacts.smartlists.find({ id: made.id }, stranger)).rejects.toMatchObject({ status: 404 });
    await expect(contacts.smartlists.remove({ id: made.id }, stranger)).rejects.toMatchObject({
      status: 404,
    });
    await contacts.smartlists.remove({ id: made.id }, context());
    await expect(contacts.smartlists.find({ id: made.id }, context())).rejects.toMatchObject({ status: 404 });
    await expect(contacts.smartlists.find({ id: 'x' }, context())).rejects.toMatchObject({ status: 404 });
  });

  it('of all contacts cannot be changed', async () => {
    const context = newContext({ organisationId: await contacts.organisation() });
    const [everyone] = await contacts.smartlists.list(context);
    const id = everyone?.id ?? '';
    await expect(contacts.smartlists.remove({ id }, context)).rejects.toMatchObject({ status: 409 });
    await expect(contacts.smartlists.change({ id, name: 'x' }, context)).rejects.toMatchObject({
      status: 409,
    });
  });
});

describe('pages of large rows', () => {
  it('are rejected beyond a size, but not with fewer rows per page', async () => {
    const organisationId = await contacts.organisation();
    const table = await contacts.table(organisationId);
    const written = Object.fromEntries(Array.from({ length: 40 }, () => [newId(), '🙂'.repeat(5_000)]));
    const rows = Array.from({ length: 14 }, () => ({
      tableId: table.id,
      id: newId(),
      written,
      matched: {},
      createdAt: new Date(),
    }));
    await contacts.rowsRepository.insert(contacts.database, rows);
    await expect(contacts.query(organisationId)).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'per_page', message: expect.stringContaining('10485760 bytes') }],
    });
    const sorted = { rows: { sort: { name: 'Email' } }, page: {} };
    await expect(contacts.queries.query(sorted, newContext({ organisationId }))).rejects.toMatchObject({
      status: 400,
      fields: [{ field: 'per_page' }],
    });
    const few = await contacts.query(organisationId, [], { per_page: 9 });
    expect(few.rows.map(({ id }) => id)).toEqual(rows.slice(0, 9).map(({ id }) => id));
    expect(few.meta.pagination).toMatchObject({ count_total: 14, next_page: 'true' });
  });
});

describe('matching rows that lie together after many others', () => {
  it('are found page by page', async () => {
    const organisationId = await contacts.organisation();
    const { id: tableId, columns } = await contacts.table(organisationId);
    const [name = ''] = columns.map(({ id }) => id);
    for (const [text, count] of [
      ['x', 21_000],
      ['zebra', 10_500],
    ] as const)
      await contacts.database.execute(sql`
        INSERT INTO contact_row (table_id, id, cells)
        SELECT ${tableId}::uuid, uuidv7(), jsonb_build_object(${name}::text, ${text}::text)
        FROM generate_series(1, ${count}::int)`);
    const seen = new Set<string>();
    let queryId: string | undefined;
    for (let page = 1; page <= 11; page += 1) {
      const scroll = queryId === undefined ? { per_page: 1_000 } : { query_id: queryId };
      const answer = await contacts.query(organisationId, named('equal', 'Zebra'), { ...scroll, page });
      queryId = answer.meta.pagination.query_id;
      for (const { id } of answer.rows) seen.add(id);
      expect(answer.meta.pagination).toMatchObject({
        count_total: 10_500,
        next_page: page < 11 ? 'true' : 'false',
      });
    }
    expect(seen.size).toBe(10_500);
  });
});
