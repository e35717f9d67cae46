import { lstat, open, rm } from 'node:fs/promises';
import type { Command } from 'commander';
import { csvLine } from '../reports/csv.js';
import { invalid } from '../session/arguments.js';
import { CommandError } from '../session/errors.js';

const maxShown = 20;

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
 * Writes all differences that `compare` reports to a file; the first ones are also returned.
 * @param nothing a difference of which nothing is known; its fields are the columns of the file, after `kind`
 * @throws CommandError if the file cannot be written
 */
export async function writeDifferences<D extends object & { readonly kind: string }, T>(
  path: string,
  nothing: Omit<D, 'kind'>,
  compare: (report: (differences: readonly D[]) => Promise<void>) => Promise<T>,
) {
  const columns = ['kind', ...Object.keys(nothing)] as (keyof D & string)[];
  const shown: D[] = [];
  const counts = new Map<string, number>();
  await removeEarlier(path);
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be written.`, { cause });
  });
  try {
    await file.appendFile(csvLine(columns));
    const result = await compare(async (differences) => {
      shown.push(...differences.slice(0, maxShown - shown.length));
      for (const { kind } of differences) counts.set(kind, (counts.get(kind) ?? 0) + 1);
      const lines = differences.map((difference) => csvLine(columns.map((name) => String(difference[name]))));
      await file.appendFile(lines.join(''));
    });
    return { result, shown, counts };
  } finally {
    await file.close();
  }
}

/** A file of an earlier run may be readable for others, so it is not written to. Links and devices are left and refused. */
async function removeEarlier(path: string): Promise<void> {
  const earlier = await lstat(path).catch(() => undefined);
  if (earlier?.isFile()) await rm(path, { force: true });
}
