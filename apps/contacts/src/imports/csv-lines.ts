import { type Options, parse } from 'csv-parse';
import { Hopeless } from '../transfers/held.js';

/** A line of the file: what an editor shows as several, if there are line breaks in its cells. */
export interface Line {
  /** The first of them, as an editor counts. */
  readonly number: number;
  readonly cells: readonly string[];
  /** Where in the file it ends, and on which line. */
  readonly end: Place;
}

export interface Place {
  readonly bytes: number;
  readonly line: number;
}

export const longestLine = 131_072;

export const csvOptions = (delimiter: string) =>
  ({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
  }) satisfies Options;

/**
 * The lines of a file that comes in parts, from a place in it on: those of each part together, however many that is.
 * Parts may end anywhere, within a character too.
 * @throws Hopeless when a quote is not closed, or a line is too long, after the lines before it
 */
export async function* linesOf(
  parts: AsyncIterable<Buffer>,
  delimiter: string,
  from: Place,
): AsyncGenerator<Line[]> {
  let lines: Line[] = [];
  let last = from;
  const counter = new LineCounter(from.line);
  const parser = parse({
    ...csvOptions(delimiter),
    // Not as a stream would give them, which forgets some when it fails.
    on_record: (cells: string[], { bytes, empty_lines: emptyLines }) => {
      const { first, line } = counter.count(cells, emptyLines);
      last = { bytes: from.bytes + bytes, line };
      lines.push({ number: first, cells, end: last });
      return null;
    },
  });
  const taken = (): Line[] => {
    const all = lines;
    lines = [];
    return all;
  };
  parser.on('error', () => undefined).resume();
  try {
    let [read, passed, begins] = [from.bytes, 0, from.bytes];
    for await (const part of parts) {
      const fault = await settled((done) => parser.write(part, done));
      yield taken();
      if (fault) throw fault;
      // Empty lines are no line's beginning: what is unfinished after one begins in this part.
      const { empty_lines: empty } = parser.info;
      begins = Math.max(last.bytes, empty > passed ? read : begins);
      passed = empty;
      read += part.length;
      if (read - begins > longestLine + part.length) {
        throw new Hopeless(
          `Line ${counter.next(empty)} is longer than ${longestLine} bytes: is there a quote that is not closed?`,
        );
      }
    }
    // It is told of an error, though its type does not say so.
    const fault = await settled((done) => parser.end(done));
    yield taken();
    if (fault) throw fault.message.startsWith('Quote Not Closed') ? notClosed(last) : fault;
  } finally {
    parser.destroy();
  }
}

const notClosed = ({ line }: Place): Hopeless =>
  new Hopeless(`A quote that opens on line ${line + 1} or later is not closed`);

type Done = (error?: Error | null) => void;

const settled = (act: (done: Done) => unknown): Promise<Error | undefined> =>
  new Promise((resolve) => {
    act((error) => {
      resolve(error ?? undefined);
    });
  });

const lineBreak = /\r\n|\r|\n/g;

/** The parser counts a line break of two characters within quotes twice. */
export class LineCounter {
  private breaks = 0;

  /** @param before the number of the line before the first */
  constructor(private readonly before: number) {}

  /** The number of the line after those that were counted, and `emptyLines` that were passed over. */
  next(emptyLines: number): number {
    return this.before + this.breaks + emptyLines + 1;
  }

  /** @param emptyLines how many were passed over so far */
  count(cells: readonly string[], emptyLines: number): { readonly first: number; readonly line: number } {
    const first = this.next(emptyLines);
    const within = cells.reduce((sum, cell) => sum + (cell.match(lineBreak)?.length ?? 0), 0);
    this.breaks += within + 1;
    return { first, line: first + within };
  }
}
