import {
  type AnyContactFilter,
  type ContactOperator,
  contactOperators,
  ContactRowsQuery,
  filterValues,
  findFilterErrors,
  validate,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newId } from '@gangan/protocol';
import { repetitions } from '@gangan/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkCell } from '../src/cells/check-cell.js';
import { comparedForm } from '../src/cells/compared-form.js';
import { requiresForm } from '../src/filters/filter.js';
import { resolveFilters } from '../src/filters/resolve-filters.js';
import { buildPrefilter } from '../src/filters/filter-sql.js';
import { countRows, findRows } from '../src/query/row-search.js';
import type { Column } from '../src/tables/table.js';
import { matches } from './support/filter-model.js';
import { TestContacts } from './support/test-contacts.js';
import { cellsOf, createTypedTable, type ModelRow, text } from './support/typed-table.js';

describe('filters', () => {
  let contacts: TestContacts;
  let tableId: string;
  let columns: readonly Column[];
  let model: readonly ModelRow[];
  beforeAll(async () => {
    contacts = await TestContacts.open(4);
    ({ tableId, columns, model } = await createTypedTable(contacts));
  });
  afterAll(() => contacts.close());

  const wholes = fc.oneof(...Object.values(cellsOf));
  const pieces = fc.tuple(wholes, fc.nat(9), fc.integer({ min: 1, max: 6 })).map(([whole, from, length]) =>
    Array.from(whole)
      .slice(from, from + length)
      .join(''),
  );
  const values = fc.oneof(
    wholes,
    wholes.map((whole) => whole.toUpperCase()),
    wholes.map((whole) => ` ${whole.toLowerCase()}`),
    pieces,
    text,
    fc.array(fc.oneof(wholes, pieces), { minLength: 2, maxLength: 3 }).map((some) => some.join(',')),
  );
  interface Leaf {
    readonly nth: number;
    readonly operator: ContactOperator;
    readonly value: string;
  }
  type Node = Leaf | { readonly join: 'any' | 'all'; readonly filters: readonly Node[] };

  const toFilter = (node: Node): AnyContactFilter =>
    'join' in node
      ? { [node.join]: node.filters.map(toFilter) }
      : { column_id: columns[node.nth]?.id ?? '', operator: node.operator, value: node.value };
  const isMatch = (node: Node, { cells }: ModelRow): boolean => {
    if ('join' in node)
      return node.join === 'any'
        ? node.filters.some((inner) => isMatch(inner, { id: '', cells }))
        : node.filters.every((inner) => isMatch(inner, { id: '', cells }));
    const { id = '', type = 'TEXT' } = columns[node.nth] ?? {};
    return matches(type, node.operator, cells.get(id), node.value);
  };
  const isValid = (leaf: Leaf): boolean => {
    const { type = 'TEXT', region } = columns[leaf.nth] ?? {};
    return (
      findFilterErrors(toFilter(leaf)).length === 0 &&
      (!requiresForm(leaf.operator, type) ||
        filterValues(leaf.operator, leaf.value).every(
          (text) => comparedForm(type, text.trim(), region) !== undefined,
        ))
    );
  };
  const filter: fc.Arbitrary<Node> = fc
    .record({ nth: fc.nat(7), operator: fc.constantFrom(...contactOperators), value: values })
    .filter(isValid);
  const groupOf = (inner: fc.Arbitrary<Node>): fc.Arbitrary<Node> =>
    fc.record({
      join: fc.constantFrom('any' as const, 'all' as const),
      filters: fc.array(inner, { minLength: 1, maxLength: 3 }),
    });
  const group = groupOf(fc.oneof({ weight: 2, arbitrary: filter }, groupOf(filter)));

  it.each([
    ['filters', filter, repetitions(100, 600)],
    ['groups', fc.oneof(filter, { weight: 2, arbitrary: group }), repetitions(60, 400)],
  ] as const)('find the rows of a model on both access paths (%s)', async (_, node, numRuns) => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(node, { minLength: 1, maxLength: 3 }), async (requested) => {
        const given = requested.map(toFilter);
        const { filters, errors } = await resolveFilters(given, columns, 'filters');
        expect(errors).toEqual([]);
        expect(validate(ContactRowsQuery, { filters: given }).ok).toBe(true);
        const expected = model
          .filter((row) => requested.every((each) => isMatch(each, row)))
          .map(({ id }) => id);
        found += expected.length;
        const answers = await contacts.database.transaction(async (transaction) => {
          const [now] = await transaction.query<{ snapshot: string }>(
            sql`SELECT pg_current_snapshot()::text AS snapshot`,
          );
          const search = { tableId, filters, snapshot: now?.snapshot ?? '' };
          const part = { after: undefined, upTo: undefined, skip: 0, limit: 1_000 };
          const ways = filters.some((one) => buildPrefilter(one)) ? [true, false] : [false];
          const pages = [];
          for (const rare of ways)
            pages.push((await findRows(transaction, search, { ...part, rare })).map(({ id }) => id));
          return { pages, count: await countRows(transaction, tableId, filters) };
        });
        for (const page of answers.pages) expect(page).toEqual(expected);
        expect(answers.count).toEqual({ total: expected.length, bounded: false });
      }),
      { numRuns },
    );
    expect(found).toBeGreaterThan(5 * numRuns);
  });

  it.each([
    ['TEXT', 'equal', ' ada ', ' Ada'],
    ['TEXT', 'in', 'bob,Ada', 'ADA '],
    ['MULTI SELECT', 'equal', 'SILVER, GOLD', 'Silver,gold'],
  ] as const)(
    'on a column of type %s, with %s and the value %j, find the cell %j',
    async (type, operator, value, given) => {
      const column = columns.find((one) => one.type === type);
      if (!column) throw new Error('no such column');
      const organisationId = await contacts.organisation();
      const { id: tableId } = await contacts.table(organisationId);
      const checked = checkCell(column, given);
      if (!checked.ok) throw new Error(checked.fault.problem);
      const { written, compared } = checked.cell;
      const matched = compared === written ? {} : { [column.id]: compared };
      await contacts.rowsRepository.insert(contacts.database, [
        { tableId, id: newId(), written: { [column.id]: written }, matched, createdAt: new Date() },
      ]);
      const { filters } = await resolveFilters(
        [{ column_id: column.id, operator, value }],
        columns,
        'filters',
      );
      const { total } = await contacts.database.transaction((transaction) =>
        countRows(transaction, tableId, filters),
      );
      expect(total).toBe(1);
    },
  );

  it('take linear time in the length of a text', async () => {
    const length = 200_000;
    const [terms] = await contacts.database.query<{ cell: number; text: number; short: number }>(sql`
      SELECT cardinality(contact_terms(jsonb_build_object('a', long), jsonb_build_object('a', long))) AS cell,
        cardinality(contact_text_terms('a', long)) AS text, cardinality(contact_text_terms('a', 'éa')) AS short
      FROM repeat('É', ${length}::int) AS long`);
    expect(terms).toEqual({ cell: 1 + 2 * (length - 2), text: 1, short: 0 });
  });

  it.each(contactOperators)('apply %s to every type', async (operator) => {
    for (const { id, type } of columns) {
      const [one = '', two = ''] = fc.sample(cellsOf[type], { numRuns: 2, seed: 7 });
      const value =
        operator === 'between' || operator === 'in'
          ? [one, two].map((whole) => whole.trim().split(/[ ,]/)[0]).join()
          : one;
      const { filters, errors } = await resolveFilters(
        [{ column_id: id, operator, value }],
        columns,
        'filters',
      );
      expect([type, errors]).toEqual([type, []]);
      const [resolved] = filters;
      const expected = model.filter(({ cells }) => resolved && matches(type, operator, cells.get(id), value));
      const { total } = await contacts.database.transaction((transaction) =>
        countRows(transaction, tableId, filters),
      );
      expect([type, total]).toEqual([type, expected.length]);
    }
  });
});
