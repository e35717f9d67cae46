import { basename } from 'node:path';
import type { Database, SqlRunner } from '@gangan/database';
import { CommandError } from '../session/errors.js';
import {
  activate,
  addLines,
  fail,
  type ImportMode,
  type OpenImport,
  openImport,
} from './imports.repository.js';
import { analyse, countNumbers, removeUnused } from './numbers.repository.js';
import { inspectFile, makeCollector, readLines } from './read-file.js';
import { cellsOf, type Entry, isHeading, readCells, type Registry } from './registry-line.js';

const batchLines = 2_000;
const collectEvery = 20_000;

export interface ImportInput {
  readonly registry: Registry;
  readonly mode: ImportMode;
  readonly path: string;
  /** Start again although an import of the same file was interrupted. */
  readonly restart: boolean;
  /** Replace although few numbers would be left. */
  readonly force: boolean;
  /** The country of numbers without a country code. */
  readonly region?: string | undefined;
}

interface Totals {
  readonly lines: number;
  readonly rejected: number;
}

export interface ImportReport extends Totals {
  readonly id: string;
  /** Lines of an earlier run. */
  readonly resumedAt: number;
  /** Why old numbers could not be removed; the next import removes them. */
  readonly cleanUpError?: unknown;
}

export interface ImportWatcher {
  begun(resumedAt: number, bytes: number): void;
  rejected(line: number, reason: string): void;
  /** The line is imported with an unknown Nigerian operator. */
  unknownOperator(line: number, operator: string): void;
  /** Called before the lines so far are committed. */
  progress(lines: number, bytes: number): Promise<void>;
  removed(numbers: number): void;
  /** Called in the transaction that activates the import. */
  activated(transaction: SqlRunner, report: ImportReport): Promise<void>;
}

/** The file is loaded, but not activated without --force. */
class LikelyLossError extends CommandError {}

/**
 * Imports a file in batches. Lookups use the new data when all of it is loaded. Importing the same file again with
 * the same options continues an interrupted import.
 */
export async function importRegistry(
  database: Database,
  input: ImportInput,
  watcher: ImportWatcher,
): Promise<ImportReport> {
  const { registry, mode, path } = input;
  const { digest, bytes } = await inspectFile(path);
  const opened = await openImport(
    database,
    { registry, mode, digest, source: basename(path) },
    input.restart,
  );
  const { id } = opened;
  watcher.begun(opened.lines, bytes);
  try {
    const totals = await load(database, opened, input, watcher);
    if (totals.lines === totals.rejected)
      throw new CommandError(
        'The file has no valid line: nothing was imported, and lookups use the old data.',
      );
    await analyse(database, registry);
    if (mode === 'replace' && !input.force) await assertNoLoss(database, registry, id, totals);
    const report = { id, ...totals, resumedAt: opened.lines };
    await activate(database, registry, id, (transaction) => watcher.activated(transaction, report));
    const cleanUpError = await removeUnused(database, registry, (numbers) => {
      watcher.removed(numbers);
    }).catch((error: unknown) => error);
    return { ...report, ...(cleanUpError !== undefined && { cleanUpError }) };
  } catch (error) {
    // An invalid file stays invalid; after any other error the import can be continued.
    if (error instanceof CommandError && !(error instanceof LikelyLossError)) await fail(database, id);
    throw error;
  }
}

/** Refuses a replacement that looks like the wrong file or half of one. */
async function assertNoLoss(
  database: Database,
  registry: Registry,
  importId: string,
  { lines, rejected }: Totals,
): Promise<void> {
  const refuse = (reason: string): never => {
    throw new LikelyLossError(
      `${reason}: nothing was replaced, and lookups use the old data. Repeat the command with --force to replace it, or run \`registry discard ${importId}\`.`,
    );
  };
  if (rejected * 2 > lines) refuse(`${rejected} of ${lines} lines are bad`);
  const { active, imported } = await countNumbers(database, registry, importId);
  if (imported * 2 < active) refuse(`The registry would shrink from ${active} numbers to ${imported}`);
}

async function load(
  database: Database,
  { id, lines: done, rejected: doneRejected }: OpenImport,
  { registry, path, region }: ImportInput,
  watcher: ImportWatcher,
): Promise<Totals> {
  let [lines, rejected, seen, repeated, isFirst] = [done, doneRejected, 0, 0, true];
  let [entries, bad, read]: [Entry[], number, number] = [[], 0, 0];
  const collectGarbage = makeCollector();
  const flush = async (): Promise<void> => {
    await watcher.progress(lines + entries.length + bad, read);
    await addLines(database, { id, registry, after: lines, entries, rejected: bad });
    lines += entries.length + bad;
    rejected += bad;
    [entries, bad] = [[], 0];
  };
  for await (const { number, bytes, text } of readLines(path)) {
    const cells = cellsOf(text);
    if (cells?.length === 0) continue;
    const skip = isFirst && cells !== undefined && isHeading(cells);
    isFirst = false;
    if (skip) continue;
    const isDone = (seen += 1) <= done;
    if (seen % collectEvery === 0) collectGarbage();
    // Bad lines of an earlier run are reported again, as its list may be lost.
    if (isDone && repeated >= doneRejected) continue;
    read = bytes;
    const entry = cells ? readCells(registry, cells, region) : 'its quotes do not match';
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
