import { formatNaira, toNaira } from '@gangan/billing';
import { toJson } from '@gangan/management';

/** A value that is not the same in text and in JSON. */
class Shown {
  constructor(
    readonly text: string,
    private readonly json: unknown,
  ) {}

  toJSON(): unknown {
    return this.json;
  }
}

/** An amount that is a number in JSON and `1234.50` in text. */
export class Money extends Shown {
  constructor(kobo: bigint) {
    super(formatNaira(kobo), toNaira(kobo));
  }
}

/** A stored JSON value: as it is in JSON, on one line in text. */
export class StoredJson extends Shown {
  constructor(value: unknown) {
    super(JSON.stringify(value), value);
  }
}

export type Cell =
  | string
  | number
  | boolean
  | Date
  | Shown
  | readonly string[]
  | readonly Row[]
  | null
  | undefined;
export type Row = { readonly [name: string]: Cell };

/**
 * Control characters, except line breaks and tabs, and invisible ones, such as those of zero width or that change the
 * direction of a line, become visible. Stored texts may contain them: they could hide or replace a part of what an operator reads before an approval.
 */
export const withoutControls = (text: string): string =>
  text.replaceAll(
    /(?![\n\t])[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`,
  );

export const asJson = (value: Row | readonly Row[]): string => toJson(value, 2);

export function asTable(rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names.map(heading), ...rows.map((row) => names.map((name) => format(row[name])))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const pad = (line: readonly string[]): string[] =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0));
  return lines.map((line) => pad(line).join('  ').trimEnd()).join('\n');
}

/** One line per value, then one table per list. */
export function asLines(row: Row): string {
  const values = Object.entries(row).filter(([, cell]) => !isEmpty(cell) && !isTable(cell));
  const width = Math.max(0, ...values.map(([name]) => name.length));
  const tables = Object.entries(row).filter((entry): entry is [string, readonly Row[]] => isTable(entry[1]));
  return [
    ...values.map(([name, cell]) => `${heading(name).padEnd(width)}  ${format(cell)}`),
    ...tables.map(([name, rows]) => `\n${heading(name)}\n${asTable(rows)}`),
  ].join('\n');
}

const heading = (name: string): string => name.replaceAll('_', ' ').toUpperCase();

const isEmpty = (cell: Cell): boolean =>
  (cell ?? undefined) === undefined || (Array.isArray(cell) && cell.length === 0);

const isTable = (cell: Cell): cell is readonly Row[] =>
  Array.isArray(cell) && cell.length > 0 && typeof cell[0] === 'object';

function format(cell: Cell): string {
  if (cell === undefined || cell === null) return '';
  if (cell instanceof Date) return `${cell.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  if (cell instanceof Shown) return cell.text;
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  if (typeof cell !== 'object') return String(cell);
  return cell.map((part) => (typeof part === 'string' ? part : asLines(part))).join(' ');
}
