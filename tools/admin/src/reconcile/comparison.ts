import type { Command } from 'commander';
import { invalid } from '../session/arguments.js';
import { DifferenceFile } from './difference-file.js';

const batchSize = 5_000;
export const pageSize = 1_000;

/** @param file the argument or option of the file that is compared */
export const addFileOptions = (command: Command, file: string): Command =>
  command
    .option(
      '--separator <character>',
      'between the columns',
      (text: string) => (text.length === 1 ? text : invalid('Use one character.')),
      ',',
    )
    .option('--output <file>', `file for all differences (default: <${file}>.differences.csv)`);

/**
 * Writes all differences that `compare` reports to a file.
 * @param nothing a difference of which nothing is known; its fields are the columns of the file, after `kind`
 * @param compare returns how many records both sides have
 */
export async function writeDifferences<D extends object & { readonly kind: string }>(
  path: string,
  nothing: Omit<D, 'kind'>,
  compare: (report: (differences: readonly D[]) => Promise<void>) => Promise<number>,
) {
  const columns = ['kind', ...Object.keys(nothing)] as (keyof D & string)[];
  const file = await DifferenceFile.open<D>(path, columns);
  const matched = await file.during(compare((found) => file.add(found)));
  return { file, matched };
}

/** Stores the rows of a file in batches: neither it nor they are in memory as a whole. */
export async function storeInBatches<Line, Row>(
  lines: AsyncIterable<Line>,
  toRow: (line: Line) => Promise<Row | undefined> | Row | undefined,
  store: (rows: readonly Row[]) => Promise<unknown>,
): Promise<void> {
  let rows: Row[] = [];
  for await (const line of lines) {
    const row = await toRow(line);
    if (row === undefined || rows.push(row) < batchSize) continue;
    await store(rows);
    rows = [];
  }
  if (rows.length > 0) await store(rows);
}
