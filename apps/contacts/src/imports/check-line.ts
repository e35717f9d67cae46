import type { ContactImportProblem } from '@gangan/contracts';
import { checkCell } from '../cells/check-cell.js';
import { type Cells, cellsOf, type ColumnCell } from '../cells/check-cells.js';
import type { Column } from '../tables/column.js';
import { rearm } from '../transfers/formula.js';
import type { Line } from './csv-lines.js';

const longestShown = 300;

/** Holds a line against its columns: either cells, or the first thing that is wrong with it. */
export function checkLine(
  { number: line, cells: texts }: Line,
  columns: readonly Column[],
  upsertColumnId: string | null,
): Cells | ContactImportProblem {
  if (texts.length !== columns.length) {
    return { line, message: `It has ${texts.length} cells instead of ${columns.length}` };
  }
  const cells: ColumnCell[] = [];
  for (const [place, column] of columns.entries()) {
    const checked = checkCell(column, rearm(texts[place] ?? ''));
    if (!checked.ok) return problem(line, column, checked.fault.problem);
    if (checked.cell.written === '' && column.id === upsertColumnId)
      return problem(line, column, 'is empty, and rows are recognised by it');
    cells.push([column.id, checked.cell]);
  }
  return cellsOf(cells);
}

const problem = (line: number, { id, name }: Column, what: string): ContactImportProblem => ({
  line,
  column_id: id,
  message: `${name} ${what}`.slice(0, longestShown),
});
