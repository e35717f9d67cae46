import { type FieldError, invalidRequest } from '@gangan/protocol';
import { parse } from 'csv-parse/sync';
import type { Column } from '../tables/column.js';
import { rearm } from '../transfers/formula.js';
import { csvOptions, LineCounter, type Place } from './csv-lines.js';

export interface Header {
  /** The ids of the columns in the order of the cells. */
  readonly columns: readonly string[];
  readonly upsertColumnId: string | undefined;
  readonly end: Place;
}

export interface HeaderWish {
  readonly text: string;
  /** Whether the text is the whole file. */
  readonly whole: boolean;
  readonly delimiter: string;
  readonly upsert: string | undefined;
}

/** What the first line of a file says. @throws AppError 400 */
export function headerOf(wish: HeaderWish, columns: readonly Column[]): Header {
  const { cells, end } = firstLine(wish);
  const found = cells.map((cell) => columnOf(rearm(cell), columns));
  const errors = found.flatMap((column, place) => faultsOf(column, place, found, cells, columns));
  const upsert = wish.upsert === undefined ? undefined : columnOf(wish.upsert, columns);
  if (wish.upsert !== undefined && !(upsert && found.includes(upsert))) {
    errors.push({ field: 'upsert', message: 'upsert must name a column of the file', type: 'value_error' });
  }
  if (errors.length > 0) throw invalidRequest(errors.slice(0, mostErrors));
  return { columns: found.flatMap((column) => column?.id ?? []), upsertColumnId: upsert?.id, end };
}

const mostErrors = 100;
const longestShown = 100;

function firstLine({ text, whole, delimiter }: HeaderWish): { cells: string[]; end: Place } {
  const bytes = Buffer.from(text);
  let first: { cells: string[]; end: Place } | undefined;
  try {
    parse(bytes, {
      ...csvOptions(delimiter),
      bom: true,
      to: 1,
      on_record: (cells: string[], info) => {
        const { line } = new LineCounter(0).count(cells, info.empty_lines);
        first ??= { cells, end: { bytes: info.bytes, line } };
        return null;
      },
    });
  } catch {
    throw badFile('has a quote in its first line that is not closed', 'value_error');
  }
  if (!first) throw badFile('has no first line that names columns', 'missing');
  // A carriage return may be half of a line break.
  if (!whole && first.end.bytes >= bytes.length - 1)
    throw badFile('has a first line that is too long', 'too_long');
  return first;
}

const badFile = (problem: string, type: string) =>
  invalidRequest([{ field: 'body', message: `The file ${problem}`, type }]);

const columnOf = (text: string, columns: readonly Column[]): Column | undefined => {
  const name = text.trim().toLowerCase();
  return (
    columns.find(({ id }) => id === name) ?? columns.find((column) => column.name.toLowerCase() === name)
  );
};

function faultsOf(
  column: Column | undefined,
  place: number,
  found: readonly (Column | undefined)[],
  cells: readonly string[],
  columns: readonly Column[],
): FieldError[] {
  const field = `header.${place}`;
  if (!column) {
    const names = columns.map(({ name }) => name).join(', ');
    const shown = shortened(cells[place] ?? '');
    return [
      { field, message: `"${shown}" is no column of the table: they are ${names}`, type: 'value_error' },
    ];
  }
  if (found.indexOf(column) === place) return [];
  return [{ field, message: `${column.name} is named twice`, type: 'value_error' }];
}

const shortened = (text: string): string =>
  text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
