import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { CommandError } from '../session/errors.js';

export interface Line {
  /** Starts at 1. */
  readonly number: number;
  /** Bytes of the file read so far. */
  readonly bytes: number;
  readonly text: string;
}

/** A longer line is no registry; a file without line breaks would be read into memory as a whole. */
const maxLineLength = 10_000;

/** Reads a file line by line, with little of it in memory. */
export async function* readLines(path: string): AsyncGenerator<Line> {
  const file = createReadStream(path, 'utf8');
  let [number, rest] = [0, ''];
  try {
    for await (const chunk of file) {
      const texts = (rest + (chunk as string)).split('\n');
      rest = texts.pop() ?? '';
      if (rest.length > maxLineLength)
        throw new CommandError(`${path}: line ${number + texts.length + 1} is too long`);
      for (const text of texts) yield { number: (number += 1), bytes: file.bytesRead, text };
    }
    if (rest !== '') yield { number: number + 1, bytes: file.bytesRead, text: rest };
  } finally {
    file.destroy();
  }
}

/** Size and SHA-256. The digest identifies an interrupted import, even after the file is renamed. */
export async function inspectFile(path: string) {
  try {
    const found = await stat(path);
    // A pipe could not be read again after a crash.
    if (!found.isFile()) throw new Error('it is not a file');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { bytes: found.size, digest: hash.digest() };
  } catch (cause) {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** Node would let the garbage of a long file grow, and the heap limit can only be set when a process starts. */
export function makeCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}
