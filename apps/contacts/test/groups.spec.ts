import type { ContactFilter, ContactInnermostFilter, ContactOperator } from '@gangan/contracts';
import { type AppError, newContext } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestContacts } from './support/test-contacts.js';
import { Transfers } from './support/transfers.js';

let contacts: TestContacts;
let transfers: Transfers;
beforeAll(async () => {
  contacts = await TestContacts.open();
  transfers = await Transfers.open(contacts);
});
afterAll(() => contacts.close());

const named = (value: string, operator: ContactOperator = 'equal'): ContactInnermostFilter => ({
  name: 'Name',
  operator,
  value,
});

/** Ada or Bola with an address that ends in .com, or Chidi. */
const group: ContactFilter = {
  any: [
    { all: [{ name: 'Email', operator: 'end_with', value: '.com' }, named('ada,BOLA', 'in')] },
    named('chidi'),
  ],
};

async function filled(): Promise<string> {
  const organisationId = await contacts.organisation();
  for (const [Name, Email] of [
    ['Ada', 'ada@example.com'],
    ['Bola', 'bola@example.org'],
    ['Chidi', ''],
    ['Dayo', 'dayo@example.com'],
  ] as const)
    await contacts.add(organisationId, { Name, Email });
  return organisationId;
}

const namesOf = async (organisationId: string, filters: ContactFilter[], smartlistId?: string) => {
  const { rows, table } = await contacts.query(organisationId, filters, {}, smartlistId);
  return rows.map(({ columns }) => columns[table.columns[0]?.id ?? '']);
};

const errorsOf = (request: Promise<unknown>) =>
  request.then(
    () => [],
    (error: unknown) => (error as AppError).fields.map(({ field, type }) => `${field} ${type}`),
  );

describe('groups of filters', () => {
  it('apply in queries, smartlists and exports', async () => {
    const organisationId = await filled();
    const context = newContext({ organisationId });
    expect(await namesOf(organisationId, [group])).toEqual(['Ada', 'Chidi']);
    expect(await namesOf(organisationId, [group, named('d', 'contain')])).toEqual(['Ada', 'Chidi']);
    const smartlist = await contacts.smartlists.create({ name: 'Some', filters: [group] }, context);
    const [id, email] = (await contacts.table(organisationId)).columns.map((column) => column.id);
    expect(smartlist.filters).toEqual([
      {
        any: [
          {
            all: [
              { column_id: email, operator: 'end_with', value: '.com' },
              { column_id: id, operator: 'in', value: 'ada,BOLA' },
            ],
          },
          { column_id: id, operator: 'equal', value: 'chidi' },
        ],
      },
    ]);
    expect(await namesOf(organisationId, [named('chidi', 'not_equal')], smartlist.id)).toEqual(['Ada']);
    const [, file] = await transfers.export(organisationId, { filters: [group] });
    expect(file.split('\r\n').slice(1, 3)).toEqual(['Ada,ada@example.com,', 'Chidi,,']);
  });

  it('bind a query_id', async () => {
    const organisationId = await filled();
    const { query_id } = (await contacts.query(organisationId, [group], { per_page: 1 })).meta.pagination;
    const next = await contacts.query(organisationId, [group], { query_id, page: 2 });
    expect(next.rows).toHaveLength(1);
    const other = { all: group.any ?? [] };
    expect(await errorsOf(contacts.query(organisationId, [other], { query_id }))).toEqual([
      'query_id value_error',
    ]);
  });

  it('report all faults with their paths', async () => {
    const organisationId = await contacts.organisation();
    const filters = [
      { any: [{ operator: 'bad' }, { all: [{ name: 'Nome', operator: 'between', value: '1' }] }] },
      { all: [named('x')], any: [{}], value: 'x' },
      { name: 'Nome' },
    ] as ContactFilter[];
    const expected = [
      'filters.0.any.0.column_id missing',
      'filters.0.any.0.operator enum',
      'filters.0.any.1.all.0.name value_error',
      'filters.0.any.1.all.0.value value_error',
      'filters.1.all value_error',
      'filters.1.any value_error',
      'filters.1.any.0.column_id missing',
      'filters.1.any.0.operator missing',
      'filters.2.name value_error',
      'filters.2.operator missing',
    ];
    const context = newContext({ organisationId });
    expect(await errorsOf(contacts.query(organisationId, filters))).toEqual(expected);
    expect(await errorsOf(contacts.smartlists.create({ name: 'x', filters }, context))).toEqual(expected);
    expect(await errorsOf(transfers.exports.create({ filters }, context))).toEqual(expected);
  });

  it('hold at most fifty filters together', async () => {
    const organisationId = await contacts.organisation();
    const many = (count: number): ContactFilter[] => [
      { any: [{ all: Array.from({ length: count - 2 }, () => named('x')) }, named('y')] },
      named('z'),
    ];
    expect(await errorsOf(contacts.query(organisationId, many(50)))).toEqual([]);
    expect(await errorsOf(contacts.query(organisationId, many(51)))).toEqual(['filters too_long']);
  });

  it('keep a column that they filter by from being removed, at every level', async () => {
    const organisationId = await contacts.organisation();
    const context = () => newContext({ organisationId });
    const email: ContactInnermostFilter = { name: 'Email', operator: 'is_empty' };
    const uses: ContactFilter[] = [
      email,
      { any: [email] },
      { all: [named('x'), email] },
      { any: [{ any: [email] }] },
      { any: [named('x'), { all: [email] }] },
      { all: [{ any: [named('x'), email] }] },
      { all: [{ all: [email] }] },
    ];
    const { columns } = await contacts.table(organisationId);
    const id = columns.find(({ name }) => name === 'Email')?.id ?? '';
    for (const [index, use] of uses.entries()) {
      const filters = [named('y'), use];
      const made = await contacts.smartlists.create({ name: `s${index}`, filters }, context());
      await expect(contacts.tables.removeColumn({ id }, context())).rejects.toMatchObject({ status: 409 });
      await contacts.smartlists.remove({ id: made.id }, context());
    }
    await contacts.tables.removeColumn({ id }, context());
  });
});
