import { basename } from 'node:path';
import type { Database } from '@gangan/database';
import { CommandError } from '../session/command-error.js';
import { makeCollector } from './collect-garbage.js';
import { factsOf, readFile } from './read-file.js';
import { type Entry, isHeading, cellsOf, readCells, type Registry } from './registry-line.js';
import {
  activate,
  addLines,
  fail,
  type ImportMode,
  type OpenImport,
  openImport,
} from './registry.repository.js';
import { LikelyLoss, refuseLoss } from './refuse-loss.js';
import { analyse, removeUnused } from './registry-tables.js';

const batchLines = 2_000;
/** Often enough for little memory, seldom enough for little time. */
const tidyEvery = 20_000;

export interface ImportWish {
  readonly registry: Registry;
  readonly mode: ImportMode;
  readonly path: string;
  /** Begin anew, although the same file was cut off before. */
  readonly restart: boolean;
  /** Replace, although little would be left. */
  readonly force: boolean;
  /** The country of numbers without a country code. */
  readonly region?: string | undefined;
}

export interface ImportReport {
  readonly id: string;
  readonly lines: number;
  readonly rejected: number;
  /** Lines that an earlier run had taken. */
  readonly resumedAt: number;
  /** Why the numbers that serve no more could not be removed: the next import does it. */
  readonly leftBehind?: unknown;
}

/** Who tells an operator how it goes. */
export interface ImportWatcher {
  begun(resumedAt: number, bytes: number): void;
  rejected(line: number, reason: string): void;
  /** A Nigerian operator that the interface does not know; the line is taken. */
  strange(line: number, operator: string): void;
  /** Before the lines so far are kept. */
  progress(lines: number, bytes: number): Promise<void>;
  /** The new numbers serve already. */
  removed(numbers: number): void;
}

/**
 * Reads a file into a registry, a batch at a time; what is served changes only when all of it is there. What was cut
 * off goes on where it stopped when the same file is imported again in the same way.
 */
export async function importRegistry(
  database: Database,
  wish: ImportWish,
  watcher: ImportWatcher,
): Promise<ImportReport> {
  const { registry, mode, path } = wish;
  const { digest, bytes } = await factsOf(path);
  const opened = await openImport(database, { registry, mode, digest, source: basename(path) }, wish.restart);
  watcher.begun(opened.lines, bytes);
  try {
    const totals = await load(database, opened, wish, watcher);
    if (totals.lines === totals.rejected) {
      throw new CommandError(
        'The file has no usable line: nothing was imported, and look-ups answer as before.',
      );
    }
    await analyse(database, registry);
    if (mode === 'replace' && !wish.force) await refuseLoss(database, registry, opened.id, totals);
    await activate(database, registry, opened.id);
    const leftBehind = await removeUnused(database, registry, (numbers) => {
      watcher.removed(numbers);
    }).catch((error: unknown) => error);
    return {
      ...{ id: opened.id, ...totals, resumedAt: opened.lines },
      ...(leftBehind !== undefined && { leftBehind }),
    };
  } catch (error) {
    // A file that cannot be used will not be better next time; whatever else failed may be tried again.
    if (error instanceof CommandError && !(error instanceof LikelyLoss)) await fail(database, opened.id);
    throw error;
  }
}

async function load(
  database: Database,
  { id, lines: taken, rejected: takenRejected }: OpenImport,
  { registry, path, region }: ImportWish,
  watcher: ImportWatcher,
): Promise<{ lines: number; rejected: number }> {
  let [lines, rejected, seen, told, first] = [taken, takenRejected, 0, 0, true];
  let [entries, bad, read]: [Entry[], number, number] = [[], 0, 0];
  const collectGarbage = makeCollector();
  const flush = async (): Promise<void> => {
    await watcher.progress(lines + entries.length + bad, read);
    await addLines(database, { id, registry, after: lines, entries, rejected: bad });
    lines += entries.length + bad;
    rejected += bad;
    [entries, bad] = [[], 0];
  };
  for await (const { number, bytes, text } of readFile(path)) {
    const cells = cellsOf(text);
    if (cells?.length === 0) continue;
    const heading = first && cells !== undefined && isHeading(cells);
    first = false;
    if (heading) continue;
    const known = (seen += 1) <= taken;
    if (seen % tidyEvery === 0) collectGarbage();
    // What an earlier run found bad is found again: its list may be gone, or lie elsewhere.
    if (known && told >= takenRejected) continue;
    read = bytes;
    const entry = cells ? readCells(registry, cells, region) : 'its quotes do not match';
    if (typeof entry === 'string') {
      watcher.rejected(number, entry);
      if (known) told += 1;
      else bad += 1;
    } else if (!known) {
      if (entry.strange) watcher.strange(number, entry.operator ?? '');
      entries.push(entry);
    }
    if (known && seen % batchLines === 0) await watcher.progress(seen, read);
    if (entries.length + bad >= batchLines) await flush();
  }
  await flush();
  return { lines, rejected };
}
