import type { ContactFilter, ContactPageQuery, ContactSort } from '@gangan/contracts';
import { sql } from '@gangan/database';
import { type AppError, newContext } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { matches, order } from './support/filter-model.js';
import { TestContacts } from './support/test-contacts.js';
import { createTypedTable, type TypedTable } from './support/typed-table.js';

let contacts: TestContacts;
let typed: TypedTable;
beforeAll(async () => {
  contacts = await TestContacts.open();
  typed = await createTypedTable(contacts);
});
afterAll(() => contacts.close());

const ask = (
  organisationId: string,
  sort: ContactSort,
  page: ContactPageQuery = {},
  filters: ContactFilter[] = [],
) => contacts.queries.query({ rows: { sort, filters }, page }, newContext({ organisationId }));

const namesOf = async (organisationId: string, sort: ContactSort): Promise<(string | undefined)[]> => {
  const { rows, table } = await ask(organisationId, sort);
  return rows.map(({ columns }) => columns[table.columns[0]?.id ?? '']);
};

const errorsOf = (request: Promise<unknown>) =>
  request.then(
    () => [],
    (error: unknown) => (error as AppError).fields.map(({ field, type }) => `${field} ${type}`),
  );

describe('sorting by a column', () => {
  it('gives the order of a model, on pages of any size and in any order', async () => {
    const story = fc.record({
      nth: fc.nat(7),
      descending: fc.boolean(),
      perPage: fc.integer({ min: 1, max: 40 }),
      visits: fc.array(fc.integer({ min: 1, max: 90 }), { maxLength: 4 }),
      filtered: fc.constantFrom<ContactFilter[]>(
        [],
        [{ name: 'a EMAIL', operator: 'contain', value: 'ADA' }],
        [{ name: 'a EMAIL', operator: 'not_contain', value: 'org' }],
      ),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ nth, descending, perPage, visits, filtered }) => {
        const column = typed.columns[nth];
        if (!column) throw new Error('no such column');
        const email = typed.columns.find(({ type }) => type === 'EMAIL')?.id ?? '';
        const key = ({ cells }: (typeof typed.model)[number]) => cells.get(column.id)?.compared;
        const expected = typed.model
          .filter(({ cells }) =>
            filtered.every(({ operator = 'equal', value = '' }) =>
              matches('EMAIL', operator, cells.get(email), value),
            ),
          )
          .toSorted((one, other) => {
            const [left, right] = [key(one), key(other)];
            if (left === undefined || right === undefined)
              return Number(left === undefined) - Number(right === undefined) || (one.id < other.id ? -1 : 1);
            const sign = order(column.type, left, right) * (descending ? -1 : 1);
            return sign || (one.id < other.id ? -1 : 1);
          })
          .map(({ id }) => id);
        const sort: ContactSort = { column_id: column.id, order: descending ? 'desc' : 'asc' };
        const pages = Math.ceil(expected.length / perPage);
        let queryId: string | undefined;
        const visited = [
          ...visits.map((visit) => 1 + (visit % pages)),
          ...Array.from({ length: pages }, (_, at) => at + 1),
        ];
        const seen = new Map<number, string[]>();
        for (const page of visited) {
          const answer = await ask(
            typed.organisationId,
            sort,
            { per_page: perPage, page, ...(queryId !== undefined && { query_id: queryId }) },
            filtered,
          );
          queryId = answer.meta.pagination.query_id;
          seen.set(
            page,
            answer.rows.map(({ id }) => id),
          );
          expect(answer.meta.pagination).toMatchObject({
            count_total: expected.length,
            next_page: page < pages ? 'true' : 'false',
          });
        }
        expect(Array.from({ length: pages }, (_, at) => seen.get(at + 1)).flat()).toEqual(expected);
      }),
      { numRuns: repetitions(10, 60) },
    );
  });

  it('sorts numbers of any size by value, texts without case by code point, and empty cells last', async () => {
    const organisationId = await contacts.organisation();
    const context = newContext({ organisationId });
    await contacts.tables.addColumn({ name: 'Size', type: 'NUMBER' }, context);
    const sizes = ['10', '9', '-2.5', '100000000000000000000000000000', '0.00000000000000000001', '', '-3'];
    for (const [nth, Size] of sizes.entries())
      await contacts.add(organisationId, { Name: ['b', 'B', 'a', 'É', 'z', 'Ab', ''][nth] ?? '', Size });
    expect(await namesOf(organisationId, { name: 'size' })).toEqual([
      undefined,
      'a',
      'z',
      'B',
      'b',
      'É',
      'Ab',
    ]);
    expect(await namesOf(organisationId, { name: 'Size', order: 'desc' })).toEqual([
      'É',
      'b',
      'B',
      'z',
      'a',
      undefined,
      'Ab',
    ]);
    expect(await namesOf(organisationId, { name: 'Name' })).toEqual([
      'a',
      'Ab',
      'b',
      'B',
      'z',
      'É',
      undefined,
    ]);
    expect(await namesOf(organisationId, { name: 'Name', order: 'desc' })).toEqual([
      'É',
      'z',
      'b',
      'B',
      'Ab',
      'a',
      undefined,
    ]);
  });

  it('keeps the rows of a query while others are added, and survives the deletion of the last row of a page', async () => {
    const organisationId = await contacts.organisation();
    for (const Name of ['d', 'b', 'a', 'c', 'e']) await contacts.add(organisationId, { Name });
    const sort = { name: 'Name' };
    const first = await ask(organisationId, sort, { per_page: 2 });
    const { query_id } = first.meta.pagination;
    await contacts.add(organisationId, { Name: 'aa' });
    await contacts.add(organisationId, { Name: 'bb' });
    await contacts.rows.remove({ id: first.rows[1]?.id ?? '' }, newContext({ organisationId }));
    const name = first.table.columns[0]?.id ?? '';
    const pages = [];
    for (const page of [2, 3, 1])
      pages.push(
        (await ask(organisationId, sort, { page, query_id })).rows.map(({ columns }) => columns[name]),
      );
    expect(pages).toEqual([['c', 'd'], ['e'], ['a']]);
  });

  it('binds a query_id to the order', async () => {
    const organisationId = await contacts.organisation();
    await contacts.add(organisationId, { Name: 'a' });
    const { query_id } = (await ask(organisationId, { name: 'Name' })).meta.pagination;
    await ask(organisationId, { name: 'Name', order: 'asc' }, { query_id });
    for (const sort of [{ name: 'Name', order: 'desc' as const }, { name: 'Email' }])
      expect(await errorsOf(ask(organisationId, sort, { query_id }))).toEqual(['query_id value_error']);
    const unsorted = contacts.query(organisationId, [], { query_id });
    expect(await errorsOf(unsorted)).toEqual(['query_id value_error']);
  });

  it('rejects more than 100,000 rows, and reports unknown columns together with the faults of filters', async () => {
    const organisationId = await contacts.organisation();
    const { id } = await contacts.table(organisationId);
    const filters: ContactFilter[] = [{ name: 'Nome', operator: 'is_empty' }];
    expect(await errorsOf(ask(organisationId, { name: 'Nom' }, {}, filters))).toEqual([
      'filters.0.name value_error',
      'sort.name value_error',
    ]);
    expect(await errorsOf(ask(organisationId, { column_id: 'x' }))).toEqual(['sort.column_id value_error']);
    expect(await errorsOf(ask(organisationId, {}))).toEqual(['sort.column_id missing']);
    const tally = (delta: number) =>
      contacts.database.execute(sql`INSERT INTO contact_tally (table_id, delta) VALUES (${id}, ${delta})`);
    await tally(100_000);
    expect((await ask(organisationId, { name: 'Name' })).rows).toEqual([]);
    await tally(1);
    expect(await errorsOf(ask(organisationId, { name: 'Name' }))).toEqual(['sort too_long']);
  });
});
