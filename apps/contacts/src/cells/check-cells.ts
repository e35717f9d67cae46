import type { FieldError } from '@gangan/protocol';
import type { Column } from '../tables/column.js';
import { type Cell, checkCell } from './check-cell.js';

/** Cells that fit their columns, by column id. What is to be emptied is in `cleared`. */
export interface Cells {
  readonly written: Readonly<Record<string, string>>;
  /** Those that are compared in another form than they were written in. */
  readonly matched: Readonly<Record<string, string>>;
  readonly cleared: readonly string[];
}

const mostErrors = 100;
/** An unknown id is the caller's own word, and is shown twice. */
const longestShown = 100;

/** Holds all cells of a row against their columns: either cells, or every fault at once (the first hundred of them). */
export function checkCells(columns: readonly Column[], given: object): Cells | readonly FieldError[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const cells: ColumnCell[] = [];
  const errors: FieldError[] = [];
  for (const [id, value] of Object.entries(given) as [string, unknown][]) {
    if (errors.length === mostErrors) break;
    if (value === null) continue;
    const field = `columns.${id.length > longestShown ? `${id.slice(0, longestShown)}…` : id}`;
    const column = byId.get(id.toLowerCase());
    if (!column) errors.push({ field, message: `${field} ${unknownId(id, columns)}`, type: 'value_error' });
    else if (typeof value !== 'string')
      errors.push({ field, message: `${field} must be a string`, type: 'string_type' });
    else {
      const checked = checkCell(column, value);
      if (!checked.ok)
        errors.push({ field, message: `${field} ${checked.fault.problem}`, type: checked.fault.type });
      else cells.push([column.id, checked.cell]);
    }
  }
  return errors.length > 0 ? errors : cellsOf(cells);
}

const unknownId = (id: string, columns: readonly Column[]): string =>
  columns.some(({ name }) => name.toLowerCase() === id.trim().toLowerCase())
    ? "is the name of a column: use the column's id, see GET /lists/contact"
    : 'is no column of the table';

export type ColumnCell = readonly [columnId: string, cell: Cell];

export function cellsOf(cells: readonly ColumnCell[]): Cells {
  const filled = cells.filter(([, { written }]) => written !== '');
  const differing = filled.filter(([, { written, compared }]) => compared !== written);
  return {
    written: Object.fromEntries(filled.map(([id, { written }]) => [id, written])),
    matched: Object.fromEntries(differing.map(([id, { compared }]) => [id, compared])),
    cleared: cells.filter(([, { written }]) => written === '').map(([id]) => id),
  };
}
