import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Refusal, type RegistryLine } from '@gangan/management';
import { parse } from 'csv-parse/sync';
import { CommandError } from '../session/errors.js';

/** A longer line is no registry; a file without line breaks would be read into memory as a whole. */
const maxLineLength = 10_000;
const collectEvery = 20_000;

/** The lines of a file, other than empty ones and a first one that names the columns; little of the file is in memory. */
export async function* readLines(path: string): AsyncGenerator<RegistryLine> {
  const collectGarbage = makeCollector();
  const file = createReadStream(path, 'utf8');
  let [number, isFirst] = [0, true];
  try {
    for await (const text of readTexts(file, path)) {
      const cells = cellsOf(text);
      if ((number += 1) % collectEvery === 0) collectGarbage();
      if (cells?.length === 0) continue;
      const skip = isFirst && cells !== undefined && isHeading(cells);
      isFirst = false;
      if (!skip) yield { number, bytes: file.bytesRead, cells };
    }
  } finally {
    file.destroy();
  }
}

async function* readTexts(file: AsyncIterable<unknown>, path: string): AsyncGenerator<string> {
  let [number, rest] = [0, ''];
  for await (const chunk of file) {
    const texts = (rest + (chunk as string)).split('\n');
    rest = texts.pop() ?? '';
    number += texts.length;
    if (rest.length > maxLineLength) throw new Refusal('invalid', `${path}: line ${number + 1} is too long`);
    yield* texts;
  }
  if (rest !== '') yield rest;
}

/** Whether a first line names the columns. */
export const isHeading = ([first = '']: readonly string[]): boolean => /^(phone|msisdn|number)/i.test(first);

/** The cells of a line; empty for a blank line, `undefined` if its quotes do not match. */
export function cellsOf(text: string): readonly string[] | undefined {
  const line = text.replace(/^\ufeff/, '').trim();
  if (line === '') return [];
  // Fast path for almost every line.
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  try {
    return parse(line, { trim: true, relax_quotes: true, relax_column_count: true })[0];
  } catch {
    return undefined;
  }
}

/** Name, size and SHA-256. */
export async function inspectFile(path: string) {
  try {
    const found = await stat(path);
    // A pipe could not be read again after a crash.
    if (!found.isFile()) throw new Error('it is not a file');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { source: basename(path), bytes: found.size, digest: hash.digest() };
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Node would let the garbage of a long file grow, and the heap limit can only be set when a process starts. */
export function makeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
