import { type ErrorType, type FieldError, invalidRequest } from '@gangan/protocol';
import { parse } from 'csv-parse/sync';
import { type Column, findColumnByName } from '../tables/table.js';
import { unescapeFormula } from '@gangan/contracts';
import { csvOptions, LineCounter, type FilePosition } from './csv-lines.js';

export interface Header {
  /** The ids of the columns, in the order of the cells. */
  readonly columns: readonly string[];
  readonly upsertColumnId: string | undefined;
  readonly end: FilePosition;
}

export interface HeaderInput {
  readonly text: string;
  /** Whether the text is the complete file. */
  readonly complete: boolean;
  readonly delimiter: string;
  readonly upsert: string | undefined;
}

/** Reads the first line of a file, which names columns. @throws AppError 400 */
export function parseHeader(input: HeaderInput, columns: readonly Column[]): Header {
  const { cells, end } = firstLine(input);
  const found = cells.map((cell) => findColumn(unescapeFormula(cell), columns));
  const names = columns.map(({ name }) => name).join(', ');
  const errors = found.flatMap((column, index): FieldError[] => {
    if (column && found.indexOf(column) === index) return [];
    const message = column
      ? `${column.name} appears twice`
      : `"${shortened(cells[index] ?? '')}" does not match a column of this table: ${names}`;
    return [{ field: `header.${index}`, message, type: 'value_error' }];
  });
  const upsert = input.upsert === undefined ? undefined : findColumn(input.upsert, columns);
  if (input.upsert !== undefined && !(upsert && found.includes(upsert))) {
    errors.push({ field: 'upsert', message: 'upsert must be a column of the file', type: 'value_error' });
  }
  if (errors.length > 0) throw invalidRequest(errors.slice(0, maxErrors));
  return { columns: found.flatMap((column) => column?.id ?? []), upsertColumnId: upsert?.id, end };
}

const maxErrors = 100;
const maxShownLength = 100;

function firstLine({ text, complete, delimiter }: HeaderInput): { cells: string[]; end: FilePosition } {
  const bytes = Buffer.from(text);
  let first: { cells: string[]; end: FilePosition } | undefined;
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
    throw invalidFile('has an unclosed quote in its first line', 'value_error');
  }
  if (!first) throw invalidFile('has no first line with column names', 'missing');
  // If the first line ends in a carriage return, its line feed may be in the next part.
  if (!complete && first.end.bytes >= bytes.length - 1)
    throw invalidFile('has a first line that is too long', 'too_long');
  return first;
}

const invalidFile = (problem: string, type: ErrorType) =>
  invalidRequest([{ field: 'body', message: `The file ${problem}`, type }]);

const findColumn = (text: string, columns: readonly Column[]): Column | undefined =>
  columns.find(({ id }) => id === text.trim().toLowerCase()) ?? findColumnByName(columns, text);

const shortened = (text: string): string =>
  text.length > maxShownLength ? `${text.slice(0, maxShownLength)}…` : text;
