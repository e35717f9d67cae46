import type { ContactImportProblem } from '@gangan/contracts';
import { type Cells } from '../cells/check-cells.js';
import { checkCell } from '../cells/check-cell.js';
import type { Column } from '../tables/column.js';
import { rearm } from '../transfers/formula.js';
import type { Line } from './csv-lines.js';

const longestShown = 300;

/** Holds a line against its columns: either cells, or the first thing that is wrong with it. */
export function checkLine(
  { number: line, cells }: Line,
  columns: readonly Column[],
  upsertColumnId: string | null,
): Cells | ContactImportProblem {
  if (cells.length !== columns.length) {
    return { line, message: `It has ${cells.length} cells instead of ${columns.length}` };
  }
  const [written, matched, cleared]: [Record<string, string>, Record<string, string>, string[]] = [
    {},
    {},
    [],
  ];
  for (const [place, column] of columns.entries()) {
    const checked = checkCell(column, rearm(cells[place] ?? ''));
    if (!checked.ok) return problem(line, column, checked.fault.problem);
    const { cell } = checked;
    if (cell.written !== '') written[column.id] = cell.written;
    else if (column.id === upsertColumnId)
      return problem(line, column, 'is empty, and rows are recognised by it');
    else cleared.push(column.id);
    if (cell.compared !== cell.written) matched[column.id] = cell.compared;
  }
  return { written, matched, cleared };
}

const problem = (line: number, { id, name }: Column, what: string): ContactImportProblem => ({
  line,
  column_id: id,
  message: `${name} ${what}`.slice(0, longestShown),
});
