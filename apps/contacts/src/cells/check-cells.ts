import type { FieldError } from '@gangan/protocol';
import type { Column } from '../tables/table.js';
import { type Cell, checkCell } from './check-cell.js';

/** Valid cells by column id. */
export interface Cells {
  readonly written: Readonly<Record<string, string>>;
  /** Only cells that are compared in another form than they were written in. */
  readonly matched: Readonly<Record<string, string>>;
  /** The columns whose cells are to be emptied. */
  readonly cleared: readonly string[];
}

const maxErrors = 100;
/** An unknown id comes from the caller and appears twice in the error. */
const maxShownLength = 100;

/** Checks all cells of a row. Returns the cells, or the first hundred errors. */
export function checkCells(columns: readonly Column[], given: object): Cells | readonly FieldError[] {
  const byId = new Map(columns.map((column) => [column.id, column]));
  const cells: ColumnCell[] = [];
  const errors: FieldError[] = [];
  for (const [id, value] of Object.entries(given) as [string, unknown][]) {
    if (errors.length === maxErrors) break;
    if (value === null) continue;
    const field = `columns.${id.length > maxShownLength ? `${id.slice(0, maxShownLength)}…` : id}`;
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
  return errors.length > 0 ? errors : toCells(cells);
}

const unknownId = (id: string, columns: readonly Column[]): string =>
  columns.some(({ name }) => name.toLowerCase() === id.trim().toLowerCase())
    ? 'is the name of a column: use the id of the column, see GET /lists/contact'
    : 'does not match a column of this table';

export type ColumnCell = readonly [columnId: string, cell: Cell];

export function toCells(cells: readonly ColumnCell[]): Cells {
  const filled = cells.filter(([, { written }]) => written !== '');
  const differing = filled.filter(([, { written, compared }]) => compared !== written);
  return {
    written: Object.fromEntries(filled.map(([id, { written }]) => [id, written])),
    matched: Object.fromEntries(differing.map(([id, { compared }]) => [id, compared])),
    cleared: cells.filter(([, { written }]) => written === '').map(([id]) => id),
  };
}
