import type { Database } from '@gangan/database';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import { Refusal } from '../refusal.js';
import { activateImport, addLines, failImport, type NewImport, openImport } from './imports.js';
import { analyseRegistry, countNumbers, removeUnusedNumbers } from './numbers.js';
import { readRegistryEntry, type Registry, type RegistryEntry } from './registry-entry.js';

const batchLines = 2_000;

/** A line of the file, other than an empty one and the first if that names the columns. */
export interface RegistryLine {
  /** Starts at 1. */
  readonly number: number;
  /** Bytes of the file read so far. */
  readonly bytes: number;
  /** Undefined if its quotes do not match. */
  readonly cells: readonly string[] | undefined;
}

export interface ImportInput extends NewImport {
  /** If reading fails with a Refusal that calls the file `invalid`, the import cannot be continued. */
  readonly lines: AsyncIterable<RegistryLine>;
  /** Start again although an import of the same file was interrupted. */
  readonly restart: boolean;
  /** Replace although few numbers would be left. */
  readonly force: boolean;
  /** The country of numbers without a country code. */
  readonly region?: string | undefined;
}

export interface ImportWatcher {
  /** @param resumedAt how many lines an earlier run has imported */
  begun(resumedAt: number): void;
  rejected(line: number, reason: string): void;
  /** The line is imported with an unknown Nigerian operator. */
  unknownOperator(line: number, operator: string): void;
  /** Called before the lines so far are committed. */
  progress(lines: number, bytes: number): Promise<void>;
  removed(numbers: number): void;
}

/**
 * Imports a file in batches. Lookups use the new data when all of it is loaded. Importing the same file again with
 * the same options continues an interrupted import. An error that keeps old numbers from being removed is returned: the next
 * import removes them.
 */
export async function importRegistry(
  { database, principal }: Access,
  input: ImportInput,
  watcher: ImportWatcher,
) {
  const { registry, mode, source: file, force } = input;
  const { id, ...done } = await openImport(database, input, input.restart);
  watcher.begun(done.lines);
  try {
    const { lines, rejected } = await load(database, id, done, input, watcher);
    if (lines === rejected)
      throw new Refusal(
        'invalid',
        'The file has no valid line: nothing was imported, and lookups use the old data.',
      );
    await analyseRegistry(database, registry);
    const mayLose = mode === 'replace' && !force;
    const loss = mayLose ? await findLoss(database, registry, id, { lines, rejected }) : undefined;
    if (loss !== undefined)
      throw new Refusal('conflict', `${loss}: nothing was replaced, and lookups use the old data`, {
        next: 'force_import',
        subject: id,
      });
    await activateImport(database, registry, id, (transaction) =>
      audit(transaction, principal, 'registry import', {
        target: `${registry} ${id}`,
        after: { mode, file, lines, rejected, forced: force },
      }),
    );
    const cleanUpError: unknown = await removeUnusedNumbers(database, registry, (numbers) => {
      watcher.removed(numbers);
    }).catch((error: unknown) => error);
    return { id, lines, rejected, resumedAt: done.lines, cleanUpError };
  } catch (error) {
    // An invalid file stays invalid; after any other error the import can be continued.
    if (error instanceof Refusal && error.code === 'invalid') await failImport(database, id);
    throw error;
  }
}

interface Totals {
  readonly lines: number;
  readonly rejected: number;
}

/** Why a replacement looks like the wrong file or half of one. */
async function findLoss(
  database: Database,
  registry: Registry,
  id: string,
  { lines, rejected }: Totals,
): Promise<string | undefined> {
  if (rejected * 2 > lines) return `${rejected} of ${lines} lines are bad`;
  const { active, imported } = await countNumbers(database, registry, id);
  if (imported * 2 >= active) return undefined;
  return `The registry would shrink from ${active} numbers to ${imported}`;
}

async function load(
  database: Database,
  id: string,
  done: Totals,
  { registry, lines: given, region }: ImportInput,
  watcher: ImportWatcher,
): Promise<Totals> {
  let [{ lines, rejected }, seen, repeated, read] = [done, 0, 0, 0];
  let [entries, bad]: [RegistryEntry[], number] = [[], 0];
  const flush = async (): Promise<void> => {
    await watcher.progress(lines + entries.length + bad, read);
    await addLines(database, registry, id, lines, entries, bad);
    lines += entries.length + bad;
    rejected += bad;
    [entries, bad] = [[], 0];
  };
  for await (const { number, bytes, cells } of given) {
    const isDone = (seen += 1) <= done.lines;
    // Bad lines of an earlier run are reported again, as its list may be lost.
    if (isDone && repeated >= done.rejected) continue;
    read = bytes;
    const entry = cells ? readRegistryEntry(registry, cells, region) : 'its quotes do not match';
    if (typeof entry === 'string') {
      watcher.rejected(number, entry);
      if (isDone) repeated += 1;
      else bad += 1;
    } else if (!isDone) {
      if (entry.isUnknownOperator) watcher.unknownOperator(number, entry.operator ?? '');
      entries.push(entry);
    }
    if (isDone && seen % batchLines === 0) await watcher.progress(seen, read);
    if (entries.length + bad >= batchLines) await flush();
  }
  await flush();
  return { lines, rejected };
}
