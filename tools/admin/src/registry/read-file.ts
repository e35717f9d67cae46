import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CommandError } from '../session/command-error.js';

export interface Line {
  /** As an editor counts them. */
  readonly number: number;
  /** How much of the file has been read with it. */
  readonly bytes: number;
  readonly text: string;
}

export interface FileFacts {
  readonly bytes: number;
  /** SHA-256: the same file is known again, whatever it is called by then. */
  readonly digest: Buffer;
}

/** What is longer is no registry: without line breaks, all of a file would be gathered in memory. */
const longestLine = 10_000;

/** The lines of a CSV file that hold something, one by one: however long it is, little of it is in memory. */
export async function* readFile(path: string): AsyncGenerator<Line> {
  const file = createReadStream(path, 'utf8');
  let [number, rest] = [0, ''];
  try {
    for await (const chunk of file) {
      const texts = (rest + (chunk as string)).split('\n');
      rest = texts.pop() ?? '';
      if (rest.length > longestLine)
        throw new CommandError(`${path}: line ${number + texts.length + 1} is too long`);
      for (const text of texts) yield { number: (number += 1), bytes: file.bytesRead, text };
    }
    if (rest !== '') yield { number: number + 1, bytes: file.bytesRead, text: rest };
  } finally {
    file.destroy();
  }
}

export async function factsOf(path: string): Promise<FileFacts> {
  try {
    const facts = await stat(path);
    // A pipe can be read once only, and has to be read again after a crash.
    if (!facts.isFile()) throw new Error('it is no file');
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return { bytes: facts.size, digest: hash.digest() };
  } catch (error) {
    throw unreadable(path, error as Error);
  }
}

const unreadable = (path: string, cause: Error): CommandError =>
  new CommandError(`${path} cannot be read: ${cause.message}`, { cause });
