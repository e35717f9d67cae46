import type { TestRequest } from '@gangan/testing';
import { expect, it } from '@jest/globals';
import { ownOrganisation } from '../support/new-organisation.js';
import type { RunningSystem } from '../support/running.js';

interface Table {
  readonly id: string;
  readonly columns: readonly { readonly id: string; readonly name: string }[];
}

interface Page {
  readonly rows: readonly { readonly id: string; readonly columns: Readonly<Record<string, string>> }[];
  readonly meta: { readonly pagination: { readonly query_id: string; readonly count_total: number } };
}

export function keepsContacts(running: RunningSystem): void {
  const { system } = running;
  const { key } = ownOrganisation(running, 'Contacts');
  const ask = (method: NonNullable<TestRequest['method']>, path: string, body?: object) =>
    system().request({ method, path: `/lists/contact${path}`, key: key(), ...(body && { body }) });
  const table = async (): Promise<Table> => (await ask('GET', '')).body as Table;
  const columnId = async (name: string): Promise<string> =>
    (await table()).columns.find((column) => column.name === name)?.id ?? '';
  const add = async (cells: object): Promise<string> => {
    const { status, body } = await ask('POST', '/rows', { columns: cells });
    expect([status, body]).toEqual([200, body]);
    return (body as { row: { id: string } }).row.id;
  };

  it('creates one table for a hundred concurrent first reads', async () => {
    const tables = await Promise.all(Array.from({ length: 100 }, table));
    expect(new Set(tables.map(({ id }) => id)).size).toBe(1);
    expect(tables[0]).toMatchObject({
      columns: [
        { name: 'Name', type: 'TEXT' },
        { name: 'Email', type: 'EMAIL' },
        { name: 'Mobile', type: 'PHONE NUMBER' },
      ],
    });
  });

  it('names cells by column name, and returns a new column', async () => {
    const added = await ask('POST', '/columns', { name: 'Town', type: 'TEXT' });
    const { id: townId } = (added.body as { column: { id: string } }).column;
    const { body } = await ask('POST', '/rows?by=name', { columns: { name: 'Ada', Town: 'Jos' } });
    const { row } = body as { row: { id: string } };
    expect(row).toMatchObject({ columns: { Name: 'Ada', Town: 'Jos' } });
    expect((await ask('GET', `/row/${row.id}`)).body).toMatchObject({
      row: { columns: { [townId]: 'Jos' } },
    });
    for (const answer of [
      await ask('GET', `/row/${row.id}?by=name`),
      await ask('PATCH', `/rows/${row.id}?by=name`, { columns: {} }),
      await ask('DELETE', `/rows/${row.id}?by=name`),
    ])
      expect(answer.body).toMatchObject({ row: { id: row.id, columns: { Name: 'Ada', Town: 'Jos' } } });
    expect(await ask('GET', `/row/${row.id}?by=names`)).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'by', type: 'enum' }] },
    });
    expect(await ask('DELETE', `/columns/${townId}`)).toMatchObject({ status: 200 });
  });

  it('adds, changes, reads and deletes a row', async () => {
    const [name, mobile] = [await columnId('Name'), await columnId('Mobile')];
    const id = await add({ [name]: `O'Brien %_\\`, [mobile]: '0803 123 4567' });
    const patched = await ask('PATCH', `/rows/${id}`, { columns: { [name]: '', [mobile]: '08031234568' } });
    expect(patched).toMatchObject({
      status: 200,
      body: { row: { id, columns: { [mobile]: '08031234568' } }, table: { id: (await table()).id } },
    });
    expect((await ask('GET', `/row/${id}`)).body).toEqual(patched.body);
    expect((await ask('GET', `/rows/${id}`)).status).toBe(405);
    expect(
      await ask('PATCH', `/rows/${id}`, { columns: { [name]: 'x', [mobile]: '112', y: 1 } }),
    ).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: `columns.${mobile}`, type: 'phone' },
          { field: 'columns.y', type: 'value_error' },
        ],
      },
    });
    expect((await ask('DELETE', `/rows/${id}`)).body).toEqual(patched.body);
    expect((await ask('GET', `/row/${id}`)).status).toBe(404);
  });

  it('loses none of fifty concurrent patches', async () => {
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        ask('POST', '/columns', { name: `p${index}`, type: 'NUMBER' }),
      ),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 200));
    const own = (await table()).columns.filter((column) => /^p\d+$/.test(column.name));
    const id = await add({});
    await Promise.all(own.map((column) => ask('PATCH', `/rows/${id}`, { columns: { [column.id]: '7' } })));
    const { body } = await ask('GET', `/row/${id}`);
    expect(Object.keys((body as { row: { columns: object } }).row.columns)).toHaveLength(50);
    const gone = await Promise.all(own.map((column) => ask('DELETE', `/columns/${column.id}`)));
    expect(gone.map(({ status }) => status)).toEqual(gone.map(() => 200));
  });

  it('finds rows page by page, by filters and smartlists, while others are added', async () => {
    const name = await columnId('Name');
    await Promise.all(Array.from({ length: 7 }, (_, index) => add({ [name]: `Zaïnab ${index}` })));
    const filters = [{ column_id: name, operator: 'start_with', value: 'ZAÏ' }];
    const query = (parameters: string, body: object) => ask('POST', `/rows/query${parameters}`, body);
    const first = await query('?per_page=3', { filters });
    expect(first).toMatchObject({
      status: 200,
      body: {
        smartlist: { name: 'All contacts' },
        meta: {
          method: 'POST',
          resource: '/lists/contact/rows/query',
          pagination: {
            next_page: 'true',
            prev_page: 'false',
            per_page: 3,
            count_total: 7,
            page_total: 3,
            page: 1,
          },
        },
      },
    });
    const { query_id: queryId } = (first.body as Page).meta.pagination;
    const seen = (first.body as Page).rows.map(({ id }) => id);
    for (const page of [2, 3, 4]) {
      await add({ [name]: 'Zaïnab the late' });
      const next = (await query(`?query_id=${queryId}&page=${page}`, { filters })).body as Page;
      expect(next.meta.pagination).toMatchObject({ count_total: 7, next_page: page < 3 ? 'true' : 'false' });
      seen.push(...next.rows.map(({ id }) => id));
    }
    expect([seen.length, new Set(seen).size]).toEqual([7, 7]);
    const made = await ask('POST', '/smartlists', { name: 'Late ones', filters });
    const { id } = made.body as { id: string };
    const narrow = [{ name: 'name', operator: 'end_with', value: 'LATE' }];
    expect(await query('', { smartlist_id: id, filters: narrow })).toMatchObject({
      body: { smartlist: { id, name: 'Late ones' }, meta: { pagination: { count_total: 3 } } },
    });
    expect(await ask('DELETE', `/columns/${name}`)).toMatchObject({
      status: 409,
      body: { errors: [{ type: 'in_use' }] },
    });
    expect((await ask('DELETE', `/smartlists/${id}`)).status).toBe(200);
  });

  it('sorts rows by a column, page by page', async () => {
    const name = await columnId('Name');
    for (const text of ['Sorted b', 'sorted A', 'Sorted C', 'sorted B']) await add({ [name]: text });
    const body = {
      filters: [{ name: 'Name', operator: 'start_with', value: 'sorted ' }],
      sort: { name: 'Name', order: 'desc' },
    };
    const cells: (string | undefined)[] = [];
    let queryId = '';
    for (const page of [1, 2]) {
      const answer = await ask('POST', `/rows/query?per_page=3&page=${page}${queryId}`, body);
      const { rows, meta } = answer.body as Page;
      queryId = `&query_id=${meta.pagination.query_id}`;
      cells.push(...rows.map(({ columns }) => columns[name]));
    }
    expect(cells).toEqual(['Sorted C', 'Sorted b', 'sorted B', 'sorted A']);
    expect(await ask('POST', '/rows/query', { sort: { name: 'Nome', order: 'desc' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'sort.name', type: 'value_error' }] },
    });
    expect(await ask('POST', '/rows/query', { sort: { name: 'Name', order: 'up' } })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'sort.order', type: 'enum' }] },
    });
  });

  it('finds rows by groups of filters, in queries and smartlists', async () => {
    const name = await columnId('Name');
    for (const text of ['Grouped Ada', 'Grouped Bola', 'Grouped Chidi']) await add({ [name]: text });
    const ends = (value: string) => ({ name: 'Name', operator: 'end_with', value });
    const filters = [
      { column_id: name, operator: 'start_with', value: 'grouped' },
      { any: [ends('chidi'), { all: [ends('ada'), ends('d ada')] }] },
    ];
    const found = async (body: object) =>
      ((await ask('POST', '/rows/query', body)).body as Page).rows.map(({ columns }) => columns[name]);
    expect(await found({ filters })).toEqual(['Grouped Ada', 'Grouped Chidi']);
    const { id } = (await ask('POST', '/smartlists', { name: 'Grouped', filters })).body as { id: string };
    expect(await found({ smartlist_id: id, filters: [ends('ada')] })).toEqual(['Grouped Ada']);
    expect((await ask('DELETE', `/smartlists/${id}`)).status).toBe(200);
    const wrong = [{ any: [{ name: 'Nome', operator: 'like' }, { all: [{ any: [ends('x')] }] }] }];
    expect(await ask('POST', '/rows/query', { filters: wrong })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'filters.0.any.1.all.0.any', type: 'value_error' }] },
    });
    expect(await ask('POST', '/exports', { filters: [{ any: wrong[0]?.any.slice(0, 1) }] })).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'filters.0.any.0.name', type: 'value_error' },
          { field: 'filters.0.any.0.operator', type: 'enum' },
        ],
      },
    });
  });

  it('rejects invalid queries, and treats an absent body as empty', async () => {
    const refused = async (parameters: string, body: object = {}): Promise<unknown> =>
      ((await ask('POST', `/rows/query${parameters}`, body)).body as { errors: unknown }).errors;
    expect(await refused('?page=0&per_page=1001')).toMatchObject([
      { field: 'per_page', type: 'less_than_equal' },
      { field: 'page', type: 'greater_than_equal' },
    ]);
    expect(await refused('?page=a')).toMatchObject([{ field: 'page', type: 'integer_type' }]);
    expect(await refused('?query_id=x')).toMatchObject([{ field: 'query_id', type: 'value_error' }]);
    expect(await refused('', { filters: [{ name: 'Name', operator: 'like', value: '%' }] })).toMatchObject([
      { field: 'filters.0.operator', type: 'enum', message: expect.stringContaining('is_not_empty') },
    ]);
    const filters = [
      { name: 'No such column', operator: 'like', value: '%' },
      { name: 'Name', operator: 'between', value: '1' },
      { name: 'No such column', operator: 'equal' },
    ];
    const faults = [
      { field: 'filters.0.name', type: 'value_error' },
      { field: 'filters.0.operator', type: 'enum' },
      { field: 'filters.1.value', type: 'value_error' },
      { field: 'filters.2.name', type: 'value_error' },
      { field: 'filters.2.value', type: 'missing' },
    ];
    expect(await refused('', { filters })).toMatchObject(faults);
    expect(await ask('POST', '/smartlists', { name: 'Unusable', filters })).toMatchObject({
      status: 400,
      body: { errors: faults },
    });
    expect((await ask('POST', '/rows/query')).status).toBe(200);
    expect(await ask('POST', '/rows', { columns: [] })).toMatchObject({ status: 400 });
  });
}
