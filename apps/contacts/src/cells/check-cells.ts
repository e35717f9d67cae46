import type { FieldError } from '@gangan/protocol';
import type { Column } from '../tables/column.js';
import { checkCell } from './check-cell.js';

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
  const [written, matched, cleared]: [Record<string, string>, Record<string, string>, string[]] = [
    {},
    {},
    [],
  ];
  const errors: FieldError[] = [];
  for (const [id, value] of Object.entries(given) as [string, unknown][]) {
    if (errors.length === mostErrors) break;
    if (value === null) continue;
    const field = `columns.${id.length > longestShown ? `${id.slice(0, longestShown)}…` : id}`;
    const column = byId.get(id.toLowerCase());
    if (!column) errors.push({ field, message: `${field} is no column of the table`, type: 'value_error' });
    else if (typeof value !== 'string')
      errors.push({ field, message: `${field} must be a string`, type: 'string_type' });
    else {
      const checked = checkCell(column, value);
      if (!checked.ok)
        errors.push({ field, message: `${field} ${checked.fault.problem}`, type: checked.fault.type });
      else if (checked.cell.written === '') cleared.push(column.id);
      else {
        written[column.id] = checked.cell.written;
        if (checked.cell.compared !== checked.cell.written) matched[column.id] = checked.cell.compared;
      }
    }
  }
  return errors.length > 0 ? errors : { written, matched, cleared };
}
