import type { ContactDateFormat, ContactImportProblem } from '@gangan/contracts';
import { type Cells, checkCell, type CheckedCell, type ColumnCell, toCells } from '../cells/check-cell.js';
import type { Column } from '../tables/table.js';
import { unescapeFormula } from '@gangan/contracts';
import type { Line } from './csv-lines.js';

const maxMessageLength = 300;

export interface LineRules {
  /** The column of each cell. */
  readonly columns: readonly Column[];
  readonly upsertColumnId: string | null;
  readonly dateFormat: ContactDateFormat;
}

/** Checks the cells of a line. Returns them, or the first problem. */
export function checkLine(
  { number: line, cells: texts }: Line,
  { columns, upsertColumnId, dateFormat }: LineRules,
): Cells | ContactImportProblem {
  if (texts.length !== columns.length) {
    return { line, message: `The line has ${texts.length} cells instead of ${columns.length}` };
  }
  const cells: ColumnCell[] = [];
  for (const [index, column] of columns.entries()) {
    const text = unescapeFormula(texts[index] ?? '');
    const isDayFirst = column.type === 'DATE' && dateFormat === 'dd/mm/yyyy';
    const checked = isDayFirst ? checkDayFirst(column, text) : checkCell(column, text);
    if (!checked.ok) return problem(line, column, checked.fault.problem);
    if (checked.cell.written === '' && column.id === upsertColumnId)
      return problem(line, column, 'is empty, but rows are matched by it');
    cells.push([column.id, checked.cell]);
  }
  return toCells(cells);
}

const dayFirst = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** The cell is stored as every other date, year first, so that it means the same to all readers. */
function checkDayFirst(column: Column, text: string): CheckedCell {
  const [, day = '', month = '', year = ''] = dayFirst.exec(text.trim()) ?? [];
  const isWritten = year !== '' || text.trim() === '';
  const date = year === '' ? '' : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const checked = checkCell(column, date);
  return isWritten && checked.ok
    ? checked
    : { ok: false, fault: { type: 'date', problem: 'must be a date as dd/mm/yyyy, such as 15/11/2026' } };
}

const problem = (line: number, { id, name }: Column, what: string): ContactImportProblem => ({
  line,
  column_id: id,
  message: `${name} ${what}`.slice(0, maxMessageLength),
});
