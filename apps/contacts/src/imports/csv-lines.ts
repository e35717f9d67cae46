import { type Options, parse } from 'csv-parse';
import { TransferFailedError } from '../transfers/transfers.errors.js';

/** A record of the file. It spans several lines of an editor if its cells contain line breaks. */
export interface Line {
  /** The number of its first line in an editor. */
  readonly number: number;
  readonly cells: readonly string[];
  /** As it is in the file, without the line break at its end. */
  readonly raw: Buffer;
  readonly end: FilePosition;
}

/** How many bytes and lines of the file come before. */
export interface FilePosition {
  readonly bytes: number;
  readonly line: number;
}

export const maxLineLength = 131_072;

/** The parser counts an empty line after it has seen a few more bytes; this is more than those. */
const maxLookahead = 64;

export const csvOptions = (delimiter: string) =>
  ({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  }) satisfies Options;

/**
 * Reads lines from a position on. Yields the lines of each part together. A part may end anywhere, also within a character.
 * @throws TransferFailedError after the valid lines, if a quote is not closed or a line is too long
 */
export async function* readLines(
  parts: AsyncIterable<Buffer>,
  delimiter: string,
  from: FilePosition,
): AsyncGenerator<Line[]> {
  const lines: Line[] = [];
  let last = from;
  /** The bytes from the start of the incomplete line on, and their position. */
  let [held, heldFrom]: [Buffer, number] = [Buffer.alloc(0), from.bytes];
  const counter = new LineCounter(from.line);
  const parser = parse({
    ...csvOptions(delimiter),
    // Not read as a stream, which loses records when it fails.
    on_record: (cells: string[], { bytes, empty_lines: emptyLines }) => {
      const { first, line } = counter.count(cells, emptyLines);
      const end = from.bytes + bytes;
      const raw = withoutBreaks(held.subarray(Math.max(0, last.bytes - heldFrom), end - heldFrom));
      last = { bytes: end, line };
      lines.push({ number: first, cells, raw, end: last });
      return null;
    },
  });
  parser.on('error', () => undefined).resume();
  try {
    let [read, skipped, begins] = [from.bytes, 0, from.bytes];
    for await (const part of parts) {
      const keptFrom = Math.max(heldFrom, last.bytes, begins - maxLookahead);
      held = Buffer.concat([held.subarray(keptFrom - heldFrom), part]);
      heldFrom = keptFrom;
      const error = await errorOf((done) => parser.write(part, done));
      yield lines.splice(0);
      if (error) throw error;
      // An incomplete line after an empty one begins in this part.
      const { empty_lines: empty } = parser.info;
      begins = Math.max(last.bytes, empty > skipped ? read : begins);
      skipped = empty;
      read += part.length;
      if (read - begins > maxLineLength + part.length) {
        throw new TransferFailedError(
          `Line ${counter.next(empty)} is longer than ${maxLineLength} bytes: check for an unclosed quote`,
        );
      }
    }
    // The callback gets an error, although its type does not say so.
    const error = await errorOf((done) => parser.end(done));
    yield lines.splice(0);
    if (error) throw error.message.startsWith('Quote Not Closed') ? unclosedQuote(last) : error;
  } finally {
    parser.destroy();
  }
}

const isBreak = (byte: number | undefined): boolean => byte === 0x0a || byte === 0x0d;

/** Empty lines before a line belong to its bytes. */
function withoutBreaks(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length];
  while (start < end && isBreak(bytes[start])) start += 1;
  while (start < end && isBreak(bytes[end - 1])) end -= 1;
  return bytes.subarray(start, end);
}

const unclosedQuote = ({ line }: FilePosition): TransferFailedError =>
  new TransferFailedError(`A quote that opens on line ${line + 1} or later is not closed`);

type Done = (error?: Error | null) => void;

const errorOf = (act: (done: Done) => unknown): Promise<Error | undefined> =>
  new Promise((resolve) => {
    act((error) => {
      resolve(error ?? undefined);
    });
  });

const lineBreak = /\r\n|\r|\n/g;

/** Numbers lines as an editor does. The parser counts a CRLF within quotes twice. */
export class LineCounter {
  private breaks = 0;

  /** @param before the number of the line before the first */
  constructor(private readonly before: number) {}

  /** @param emptyLines how many empty lines were skipped so far */
  next(emptyLines: number): number {
    return this.before + this.breaks + emptyLines + 1;
  }

  count(cells: readonly string[], emptyLines: number): { readonly first: number; readonly line: number } {
    const first = this.next(emptyLines);
    const within = cells.reduce((sum, cell) => sum + (cell.match(lineBreak)?.length ?? 0), 0);
    this.breaks += within + 1;
    return { first, line: first + within };
  }
}

/**
 * Groups lines into portions of at most `maxLines` lines and about `maxBytes` bytes. If reading fails, the lines before the
 * error are yielded first.
 */
export async function* inPortions(
  groups: AsyncIterable<readonly Line[]>,
  maxLines: number,
  maxBytes: number,
): AsyncGenerator<Line[]> {
  const portion: Line[] = [];
  let bytes = 0;
  try {
    for await (const group of groups) {
      for (const line of group) {
        portion.push(line);
        bytes += line.cells.reduce((sum, { length }) => sum + length + 1, 0);
        if (portion.length < maxLines && bytes < maxBytes) continue;
        bytes = 0;
        yield portion.splice(0);
      }
    }
  } catch (error) {
    if (portion.length > 0) yield portion.splice(0);
    throw error;
  }
  if (portion.length > 0) yield portion.splice(0);
}
