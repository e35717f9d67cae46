import { basename } from 'node:path';
import type { Database } from '@gangan/database';
import { Refusal } from '../desk/refusal.js';
import { readFile } from './read-file.js';
import { type Entry, isHeading, readLine, type Registry } from './registry-line.js';
import { activate, addLines, beginImport, fail, type ImportMode } from './registry.repository.js';

const batchLines = 1_000;

export interface ImportReport {
  readonly id: string;
  readonly lines: number;
  readonly rejected: number;
}

export interface ImportWatcher {
  rejected(line: number, reason: string): void;
  progress(lines: number): void;
}

/** Reads a file into a registry, a batch at a time; what is served changes only when all of it is there. */
export async function importRegistry(
  database: Database,
  registry: Registry,
  mode: ImportMode,
  path: string,
  watcher: ImportWatcher,
): Promise<ImportReport> {
  const id = await beginImport(database, registry, mode, basename(path));
  try {
    const totals = await load(database, id, registry, path, watcher);
    if (totals.lines === totals.rejected) {
      throw new Refusal('The file has no usable line: nothing was imported, and look-ups answer as before.');
    }
    await activate(database, id);
    return { id, ...totals };
  } catch (error) {
    // When the database is what failed, the import stays as it is, which serves nothing either.
    await fail(database, id).catch(() => undefined);
    throw error;
  }
}

async function load(
  database: Database,
  id: string,
  registry: Registry,
  path: string,
  watcher: ImportWatcher,
): Promise<{ lines: number; rejected: number }> {
  let [lines, rejected, rejectedHere, first] = [0, 0, 0, true];
  let entries: Entry[] = [];
  const flush = async (): Promise<void> => {
    await addLines(database, id, registry, entries, rejectedHere);
    lines += entries.length + rejectedHere;
    rejected += rejectedHere;
    entries = [];
    rejectedHere = 0;
    watcher.progress(lines);
  };
  for await (const { number, cells } of readFile(path)) {
    const heading = first && isHeading(cells);
    first = false;
    if (heading) continue;
    const entry = readLine(registry, cells);
    if (typeof entry === 'string') {
      watcher.rejected(number, entry);
      rejectedHere += 1;
    } else {
      entries.push(entry);
    }
    if (entries.length + rejectedHere >= batchLines) await flush();
  }
  await flush();
  return { lines, rejected };
}
