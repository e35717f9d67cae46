import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { parse } from 'csv-parse';
import { CommandError } from '../session/errors.js';

/** A record of a CSV file. */
interface CsvRecord {
  /** The line of the file on which it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
}

/** A file without line breaks, or with an unclosed quote, would be read into memory as a whole. */
const maxRecordLength = 100_000;

/** Reads records with little of the file in memory. Quoted cells may contain separators, quotes and line breaks. */
export async function* readRecords(
  parts: AsyncIterable<string>,
  separator: string,
): AsyncGenerator<CsvRecord> {
  let breaks = 0;
  const lineAfter = (emptyLines: number): number => breaks + emptyLines + 1;
  const parser = parse({
    bom: true,
    delimiter: separator,
    max_record_size: maxRecordLength,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    on_record: (cells: string[], { empty_lines: emptyLines }) => {
      const line = lineAfter(emptyLines);
      // Its own count has the CRLFs within quotes twice.
      breaks += cells.join('').split('\n').length;
      return cells.some((text) => text !== '') ? [String(line), ...cells] : null;
    },
  });
  try {
    const records: AsyncIterable<string[]> = pipeline(parts, parser, () => undefined);
    for await (const [line, ...cells] of records) yield { line: Number(line), cells };
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    const line = lineAfter(parser.info.empty_lines);
    if (code === 'CSV_MAX_RECORD_SIZE')
      throw new CommandError(`Line ${line} is too long: check for an unclosed quote.`);
    if (code === 'CSV_QUOTE_NOT_CLOSED')
      throw new CommandError(`A quote on line ${line} or later is not closed.`);
    throw error;
  }
}

/** @throws CommandError if it cannot be read */
export async function* readText(path: string): AsyncGenerator<string> {
  try {
    for await (const part of createReadStream(path, 'utf8')) yield part as string;
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

type Cells<Name extends string> = { readonly line: number } & { readonly [Own in Name]?: string };

/** What a column may be called, without regard to case, spaces and punctuation. */
type Columns<Name extends string> = Readonly<Record<Name, readonly string[]>>;

/**
 * The cells of each record after the first, which names the columns.
 * @param required of each of these groups, the file must have a column, unless they have no names
 * @param whenEmpty refuses a file without records
 * @throws CommandError if a column is missing
 */
export async function* readColumns<Name extends string>(
  records: AsyncIterable<CsvRecord>,
  columns: Columns<Name>,
  required: readonly (readonly Name[])[],
  whenEmpty?: string,
): AsyncGenerator<Cells<Name>> {
  let places: readonly (readonly [Name, number])[] | undefined;
  for await (const { line, cells } of records) {
    if (!places) {
      places = findPlaces(cells, columns, required);
      continue;
    }
    const named = places.map(([name, place]) => [name, (cells[place] ?? '').trim()]);
    yield { line, ...Object.fromEntries(named) } as Cells<Name>;
  }
  if (!places && whenEmpty !== undefined) throw new CommandError(whenEmpty);
}

function findPlaces<Name extends string>(
  header: readonly string[],
  columns: Columns<Name>,
  required: readonly (readonly Name[])[],
) {
  const own = header.map(normalise);
  const found = (Object.keys(columns) as Name[]).flatMap((name) => {
    const place = columns[name].map((text) => own.indexOf(normalise(text))).find((index) => index !== -1);
    return place === undefined ? [] : [[name, place] as const];
  });
  const missing = required
    .filter((group) => !found.some(([name]) => group.includes(name)))
    .map((group) => group.flatMap((name) => columns[name]).join(' or '));
  const wanted = missing.find((names) => names !== '');
  if (wanted === undefined) return found;
  const given = header.map((cell) => cell.trim()).join(', ');
  throw new CommandError(`The file has no column ${wanted}. Its columns are ${given}.`);
}

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
