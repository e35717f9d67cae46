import { type ContactColumnType, contactColumnTypes } from '@gangan/contracts';
import { newContext, newId } from '@gangan/protocol';
import fc from 'fast-check';
import { checkCell } from '../../src/cells/check-cell.js';
import type { NewRow } from '../../src/rows/rows.repository.js';
import type { Column } from '../../src/tables/table.js';
import { type ModelCell, modelCell } from './filter-model.js';
import type { TestContacts } from './test-contacts.js';

const options = ['gold', 'Silver', '100%', `it's`, 'a_b', 'Éclair'];
/** Characters that are special in SQL, LIKE or JSON, and letters with simple and with unusual case rules. */
export const text = fc.string({
  unit: fc.constantFrom(...Array.from('aAbB01%_\\\'"$ ?.-+@éÉßΣσς😀')),
  minLength: 1,
  maxLength: 12,
});
const digits = fc.integer({ min: 0, max: 9_999 }).map((rest) => String(rest).padStart(4, '0'));
export const cellsOf: Readonly<Record<ContactColumnType, fc.Arbitrary<string>>> = {
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

export interface ModelRow {
  readonly id: string;
  readonly cells: ReadonlyMap<string, ModelCell>;
}

/** A table with a column of every type and random rows, and the same rows as a model. Another table has rows too. */
export interface TypedTable {
  readonly organisationId: string;
  readonly tableId: string;
  readonly columns: readonly Column[];
  readonly model: readonly ModelRow[];
}

export async function createTypedTable(contacts: TestContacts): Promise<TypedTable> {
  const organisationId = await contacts.organisation();
  for (const type of contactColumnTypes) {
    const choices = /SELECT/.test(type) ? { options } : {};
    await contacts.tables.addColumn({ name: `a ${type}`, type, ...choices }, newContext({ organisationId }));
  }
  const table = await contacts.table(organisationId);
  const columns = table.columns
    .slice(3)
    .map(({ id, name, type, options: own = [] }) => ({ id, name, type, options: own }));
  const other = await contacts.table(await contacts.organisation());
  const rowsOf = (tableId: string, count: number) =>
    Array.from({ length: count }, (_, index) => newRow(tableId, columns, index));
  const own = rowsOf(table.id, 80);
  await contacts.rowsRepository.insert(
    contacts.database,
    own.map(({ row }) => row),
  );
  await contacts.rowsRepository.insert(
    contacts.database,
    rowsOf(other.id, 40).map(({ row }) => row),
  );
  const model = own.map(({ row, cells }) => ({ id: row.id, cells }));
  return { organisationId, tableId: table.id, columns, model };
}

function newRow(tableId: string, columns: readonly Column[], index: number) {
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
  const row: NewRow = { tableId, id: newId(), written, matched, createdAt: new Date() };
  return { row, cells };
}
