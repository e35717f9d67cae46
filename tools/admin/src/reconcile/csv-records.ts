import { createReadStream } from 'node:fs';
import { CommandError } from '../session/errors.js';

/** A record of a CSV file. */
export interface CsvRecord {
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
  let [cells, cell, isQuoted, wasQuote, length]: [string[], string, boolean, boolean, number] = [
    [],
    '',
    false,
    false,
    0,
  ];
  let [line, begins] = [1, 1];
  for await (const part of parts)
    for (const char of part) {
      length += 1;
      if (length > maxRecordLength)
        throw new CommandError(`Line ${begins} is too long: check for an unclosed quote.`);
      if (char === '\n') line += 1;
      if (isQuoted && !wasQuote) {
        if (char === '"') wasQuote = true;
        else cell += char;
        continue;
      }
      if (wasQuote && char === '"') {
        cell += char;
        wasQuote = false;
        continue;
      }
      [isQuoted, wasQuote] = [false, false];
      if (char === '"' && cell === '') isQuoted = true;
      else if (char === separator) {
        cells.push(cell);
        cell = '';
      } else if (char === '\n') {
        cells.push(cell.replace(/\r$/, ''));
        if (cells.some((text) => text !== '')) yield { line: begins, cells };
        [cells, cell, length, begins] = [[], '', 0, line];
      } else cell += char;
    }
  if (isQuoted && !wasQuote) throw new CommandError(`A quote on line ${begins} or later is not closed.`);
  cells.push(cell.replace(/\r$/, ''));
  if (cells.some((text) => text !== '')) yield { line: begins, cells };
}

/** @throws CommandError if it cannot be read */
export async function* readText(path: string): AsyncGenerator<string> {
  try {
    for await (const part of createReadStream(path, 'utf8')) yield part as string;
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** The columns of a file, by their names in its first line: without case, spaces and punctuation. */
export class CsvColumns {
  private readonly names: readonly string[];

  constructor(private readonly cells: readonly string[]) {
    this.names = cells.map(normalise);
  }

  /** The place of the first of these names that the file has; -1 if it has none. */
  find(...names: readonly string[]): number {
    const found = names.find((name) => this.names.includes(normalise(name)));
    return found === undefined ? -1 : this.names.indexOf(normalise(found));
  }

  /** @throws CommandError if the file has none of these names */
  get(...names: readonly string[]): number {
    const place = this.find(...names);
    if (place !== -1) return place;
    const given = this.cells.map((cell) => cell.replace(/^\uFEFF/, '').trim()).join(', ');
    throw new CommandError(`The file has no column ${names.join(' or ')}. Its columns are ${given}.`);
  }
}

const normalise = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
