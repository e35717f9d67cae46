import type { ContactImportProblem } from '@gangan/contracts';
import { type Cells, checkCell, type ColumnCell, toCells } from '../cells/check-cell.js';
import type { Column } from '../tables/table.js';
import { unescapeFormula } from '@gangan/contracts';
import type { Line } from './csv-lines.js';

const maxMessageLength = 300;

/** Checks the cells of a line. Returns them, or the first problem. */
export function checkLine(
  { number: line, cells: texts }: Line,
  columns: readonly Column[],
  upsertColumnId: string | null,
): Cells | ContactImportProblem {
  if (texts.length !== columns.length) {
    return { line, message: `The line has ${texts.length} cells instead of ${columns.length}` };
  }
  const cells: ColumnCell[] = [];
  for (const [index, column] of columns.entries()) {
    const checked = checkCell(column, unescapeFormula(texts[index] ?? ''));
    if (!checked.ok) return problem(line, column, checked.fault.problem);
    if (checked.cell.written === '' && column.id === upsertColumnId)
      return problem(line, column, 'is empty, but rows are matched by it');
    cells.push([column.id, checked.cell]);
  }
  return toCells(cells);
}

const problem = (line: number, { id, name }: Column, what: string): ContactImportProblem => ({
  line,
  column_id: id,
  message: `${name} ${what}`.slice(0, maxMessageLength),
});
