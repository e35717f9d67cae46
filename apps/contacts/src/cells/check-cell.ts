import { type CellKey, type ContactColumnType, storedPhoneFault } from '@gangan/contracts';
import { type ErrorType, type FieldError, parseUrl } from '@gangan/protocol';
import { isEmail, isURL } from 'class-validator';
import { type Column, findColumnByName } from '../tables/table.js';
import { splitChoices, comparedForm } from './compared-form.js';

const maxCellLength = 5_000;

/** The part of a column that its cells are checked against. */
type CellRule = Pick<Column, 'type' | 'options' | 'region'>;

/** A cell as it was written, and in the form it is compared in. Both are empty for an empty cell. */
export interface Cell {
  readonly written: string;
  readonly compared: string;
}

export interface CellFault {
  readonly type: ErrorType;
  /** Follows the name of the field in a message. */
  readonly problem: string;
}

export type CheckedCell =
  | { readonly ok: true; readonly cell: Cell }
  | { readonly ok: false; readonly fault: CellFault };

/** Postgres stores neither U+0000 nor half of a surrogate pair. */
const unstorable = /[\0\p{Surrogate}]/u;

const empty: CheckedCell = { ok: true, cell: { written: '', compared: '' } };

/** Blank text empties the cell. */
export function checkCell(column: CellRule, text: string): CheckedCell {
  const trimmed = text.trim();
  if (trimmed === '') return empty;
  if (text.length > maxCellLength) {
    return invalid('string_too_long', `must be shorter than or equal to ${maxCellLength} characters`);
  }
  if (unstorable.test(text)) return invalid('value_error', 'contains U+0000 or half of a surrogate pair');
  const written = column.type === 'TEXT' ? text : trimmed;
  const compared = comparedForm(column.type, written, column.region);
  const fault = faults[column.type](trimmed, column, compared);
  return fault ? { ok: false, fault } : { ok: true, cell: { written, compared: compared ?? written } };
}

type Check = (text: string, column: CellRule, compared: string | undefined) => CellFault | undefined;

const hasForm =
  (type: ErrorType, problem: string): Check =>
  (_text, _column, compared) =>
    compared === undefined ? { type, problem } : undefined;

const faults: Readonly<Record<ContactColumnType, Check>> = {
  TEXT: () => undefined,
  NUMBER: hasForm('value_error', 'must be a number such as 12.5'),
  DATE: hasForm('date', 'must be a date such as 2026-11-15, or a time such as 2026-11-15T09:30:00+01:00'),
  // The number is left out, because the problems of an import are stored.
  'PHONE NUMBER': (text, _, compared) =>
    compared === undefined ? { type: 'phone', problem: storedPhoneFault(text) } : undefined,
  EMAIL: (text) => (isEmail(text) ? undefined : { type: 'email', problem: 'must be an email address' }),
  URL: (text) => (isWebAddress(text) ? undefined : { type: 'url', problem: 'must be an http or https URL' }),
  SELECT: (text, { options }) => (options.includes(text) ? undefined : notAnOption(options)),
  'MULTI SELECT': (text, { options }) =>
    splitChoices(text).every((choice) => options.includes(choice)) && splitChoices(text).length > 0
      ? undefined
      : notAnOption(options, ', several separated by commas'),
};

const isWebAddress = (text: string): boolean =>
  isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false }) &&
  parseUrl(text) !== undefined;

const notAnOption = (options: readonly string[], more = ''): CellFault => ({
  type: 'enum',
  problem: `must be one of the following values: ${options.join(', ')}${more}`,
});

const invalid = (type: ErrorType, problem: string): CheckedCell => ({ ok: false, fault: { type, problem } });

/** Valid cells by column id. */
export interface Cells {
  readonly written: Readonly<Record<string, string>>;
  /** The compared form of cells that were written in another form. */
  readonly matched: Readonly<Record<string, string>>;
  /** The columns whose cells are to be emptied. */
  readonly cleared: readonly string[];
}

const maxErrors = 100;
/** An unknown id comes from the caller and appears twice in the error. */
const maxShownLength = 100;

/** Checks all cells of a row. Returns the cells, or the first hundred errors. */
export function checkCells(
  columns: readonly Column[],
  given: object,
  by: CellKey = 'id',
): Cells | readonly FieldError[] {
  const known = new Map(columns.map((column) => [column[by].toLowerCase(), column]));
  const cells: ColumnCell[] = [];
  const errors: FieldError[] = [];
  const named = new Set<Column>();
  for (const [key, value] of Object.entries(given) as [string, unknown][]) {
    if (errors.length === maxErrors) break;
    if (value === null) continue;
    const field = `columns.${key.length > maxShownLength ? `${key.slice(0, maxShownLength)}…` : key}`;
    const column = known.get(by === 'name' ? key.trim().toLowerCase() : key.toLowerCase());
    if (!column) errors.push({ field, message: `${field} ${unknownKey(key, columns)}`, type: 'value_error' });
    else if (named.has(column))
      errors.push({
        field,
        message: `${field} is a second cell of the column ${column.name}`,
        type: 'value_error',
      });
    else if (typeof value !== 'string')
      errors.push({ field, message: `${field} must be a string`, type: 'string_type' });
    else {
      const checked = checkCell(column, value);
      if (!checked.ok)
        errors.push({ field, message: `${field} ${checked.fault.problem}`, type: checked.fault.type });
      else cells.push([column.id, checked.cell]);
    }
    if (column) named.add(column);
  }
  return errors.length > 0 ? errors : toCells(cells);
}

/** Only cells that are named by id can have the name of a column. */
const unknownKey = (key: string, columns: readonly Column[]): string =>
  findColumnByName(columns, key)
    ? 'is the name of a column: use the id of the column, see GET /lists/contact, or add ?by=name'
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
