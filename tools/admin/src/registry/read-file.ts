import { createReadStream } from 'node:fs';
import { type CsvError, parse } from 'csv-parse';
import { Refusal } from '../desk/refusal.js';

export interface Line {
  /** As an editor counts them. */
  readonly number: number;
  readonly cells: readonly string[];
}

const longestLine = 10_000;

/** The lines of a CSV file, one by one: however long it is, little of it is in memory. */
export async function* readFile(path: string): AsyncGenerator<Line> {
  const file = createReadStream(path);
  const parser = parse({
    bom: true,
    info: true,
    max_record_size: longestLine,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    trim: true,
  });
  file.once('error', (error) => parser.destroy(error));
  try {
    const records = file.pipe(parser) as AsyncIterable<{ info: { lines: number }; record: string[] }>;
    for await (const { info, record } of records) yield { number: info.lines, cells: record };
  } catch (error) {
    throw new Refusal(`${path} cannot be read: ${(error as CsvError | NodeJS.ErrnoException).message}`, {
      cause: error,
    });
  } finally {
    file.destroy();
  }
}
