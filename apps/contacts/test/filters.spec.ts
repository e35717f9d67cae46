import {
  type ContactColumnType,
  contactColumnTypes,
  type ContactFilter,
  contactOperators,
  ContactRowsQuery,
  validate,
} from '@gangan/contracts';
import { sql } from '@gangan/database';
import { newContext, newId } from '@gangan/protocol';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkCell } from '../src/cells/check-cell.js';
import { resolveFilters } from '../src/filters/filter.js';
import { buildPrefilter } from '../src/filters/filter-sql.js';
import { countRows, findRows } from '../src/query/row-search.js';
import type { Column } from '../src/tables/table.js';
import { matches, type ModelCell, modelCell } from './support/filter-model.js';
import { TestContacts } from './support/test-contacts.js';

const options = ['gold', 'Silver', '100%', `it's`, 'a_b', 'Éclair'];
/** Characters that are special in SQL, LIKE or JSON, and letters with simple and with unusual case rules. */
const text = fc.string({
  unit: fc.constantFrom(...Array.from('aAbB01%_\\\'"$ ?.-+@éÉßΣσς😀')),
  minLength: 1,
  maxLength: 12,
});
const digits = fc.integer({ min: 0, max: 9_999 }).map((rest) => String(rest).padStart(4, '0'));
const cellsOf: Readonly<Record<ContactColumnType, fc.Arbitrary<string>>> = {
  TEXT: fc.oneof(text, fc.constantFrom('Ada', ' Ada', 'ada\t', ' ADA ')),
  NUMBER: fc
    .tuple(
      fc.constantFrom('', '-', '+', '-0', '00'),
      fc.integer({ min: 0, max: 30 }),
      fc.constantFrom('', '.5', '.50', '.0'),
    )
    .map((parts) => parts.join('')),
  DATE: fc.constantFrom(
    '2026-11-15',
    '2026-11-15T00:00',
    '2026-11-15T09:30:00+01:00',
    '2026-11-15T08:30:00Z',
    '1999-12-31',
    '2026-11-14T23:59:59.999Z',
  ),
  'PHONE NUMBER': fc
    .tuple(fc.constantFrom('+234803123', '0803 123 ', '0803123', '+44791112'), digits)
    .map((parts) => parts.join('')),
  EMAIL: fc
    .tuple(fc.constantFrom('ada', 'Ada', 'a_b', 'a+b'), fc.constantFrom('@example.com', '@Example.org'))
    .map((parts) => parts.join('')),
  URL: fc
    .tuple(
      fc.constantFrom('https://example.com/', 'http://EXAMPLE.com/'),
      fc.constantFrom('', '%20', 'a_b', '?x=1'),
    )
    .map((parts) => parts.join('')),
  SELECT: fc.constantFrom(...options),
  'MULTI SELECT': fc.shuffledSubarray(options, { minLength: 1 }).map((some) => some.join(', ')),
};

describe('filters', () => {
  let contacts: TestContacts;
  let tableId: string;
  let columns: Column[];
  const model: { readonly id: string; readonly cells: ReadonlyMap<string, ModelCell> }[] = [];
  beforeAll(async () => {
    contacts = await TestContacts.open(4);
    const organisationId = await contacts.organisation();
    for (const type of contactColumnTypes) {
      const choices = /SELECT/.test(type) ? { options } : {};
      await contacts.tables.addColumn(
        { name: `a ${type}`, type, ...choices },
        newContext({ organisationId }),
      );
    }
    const table = await contacts.table(organisationId);
    tableId = table.id;
    columns = table.columns
      .slice(3)
      .map(({ id, name, type, options: own = [] }) => ({ id, name, type, options: own }));
    const others = await contacts.organisation();
    for (const [own, count] of [
      [true, 80],
      [false, 40],
    ] as const) {
      const target = own ? tableId : (await contacts.table(others)).id;
      await contacts.rowsRepository.insert(
        contacts.database,
        Array.from({ length: count }, (_, index) => newRow(target, index, own)),
      );
    }
  });
  afterAll(() => contacts.close());

  function newRow(tableId: string, index: number, own: boolean) {
    const [written, matched]: [Record<string, string>, Record<string, string>] = [{}, {}];
    const cells = new Map<string, ModelCell>();
    for (const [nth, column] of columns.entries()) {
      const [given = ''] = fc.sample(
        fc.oneof({ weight: 4, arbitrary: cellsOf[column.type] }, fc.constant('')),
        { numRuns: 1, seed: index * 100 + nth },
      );
      const checked = checkCell(column, given);
      if (!checked.ok) throw new Error(`${column.type} refuses ${given}: ${checked.fault.problem}`);
      const expected = modelCell(column.type, given);
      if (expected) cells.set(column.id, expected);
      if (checked.cell.written === '') continue;
      written[column.id] = checked.cell.written;
      if (checked.cell.compared !== checked.cell.written) matched[column.id] = checked.cell.compared;
    }
    const id = newId();
    if (own) model.push({ id, cells });
    return { tableId, id, written, matched, createdAt: new Date() };
  }

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
  const filter = fc.record({ nth: fc.nat(7), operator: fc.constantFrom(...contactOperators), value: values });

  it('find what a model finds, on both access paths', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(filter, { minLength: 1, maxLength: 3 }), async (requested) => {
        const given = requested.map(({ nth, operator, value }): ContactFilter => ({
          column_id: columns[nth]?.id ?? '',
          operator,
          value,
        }));
        const { filters, errors } = resolveFilters(given, columns, 'filters');
        fc.pre(errors.length === 0 && validate(ContactRowsQuery, { filters: given }).ok);
        const expected = model
          .filter(({ cells }) =>
            given.every(({ column_id: id = '', operator, value = '' }, index) =>
              matches(columns[requested[index]?.nth ?? 0]?.type ?? 'TEXT', operator, cells.get(id), value),
            ),
          )
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
      { numRuns: 600 },
    );
    expect(found).toBeGreaterThan(1_000);
  });

  it.each([
    ['TEXT', 'equal', ' ada ', ' Ada'],
    ['TEXT', 'in', 'bob,Ada', 'ADA '],
    ['MULTI SELECT', 'equal', 'SILVER, GOLD', 'Silver,gold'],
  ] as const)(
    'find by type %s, operator %s and value %j the cell %j',
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
      const { filters } = resolveFilters([{ column_id: column.id, operator, value }], columns, 'filters');
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
      const { filters, errors } = resolveFilters([{ column_id: id, operator, value }], columns, 'filters');
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
