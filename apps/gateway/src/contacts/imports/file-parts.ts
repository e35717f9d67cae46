import type { Readable } from 'node:stream';
import { AppError, withTimeout } from '@gangan/protocol';
import { badText, brokenOff, tooLarge, tooSlow } from './imports.errors.js';

/** A piece of a file: whole characters. */
export interface FilePart {
  /** Where in the file it begins, in bytes. */
  readonly begins: number;
  readonly text: string;
  readonly last: boolean;
}

export interface FileBounds {
  readonly mostBytes: number;
  /** How long nothing may arrive while somebody waits for it, and how long all of it may take. */
  readonly idleMs: number;
  readonly wholeMs: number;
  /** A part that is not full leaves after so long, so that the worker hears of a slow file. */
  readonly partMs: number;
}

export const partBytes = 262_144;

/**
 * Cuts what arrives into parts, and reads on when the one before has been dealt with. The first is full unless it is the
 * last: it has to hold the first line.
 * @throws AppError 400, 408 or 413
 */
export async function* partsOf(file: Readable, bounds: FileBounds): AsyncGenerator<FilePart> {
  const text = new TextParts();
  const endsAt = performance.now() + bounds.wholeMs;
  let gathered: Buffer[] = [];
  let [bytes, total, since, first] = [0, 0, performance.now(), true];
  for await (const chunk of chunksOf(file, bounds.idleMs, endsAt)) {
    total += chunk.length;
    if (total > bounds.mostBytes) throw tooLarge(bounds.mostBytes);
    gathered.push(chunk);
    bytes += chunk.length;
    const overdue = !first && performance.now() - since >= bounds.partMs;
    if (bytes < partBytes && !overdue) continue;
    let rest = Buffer.concat(gathered);
    for (; rest.length >= partBytes; rest = rest.subarray(partBytes)) {
      yield text.next(rest.subarray(0, partBytes), false);
      first = false;
    }
    if (overdue && rest.length > 0) {
      yield text.next(rest, false);
      rest = rest.subarray(rest.length);
    }
    // A copy, so that the large one can go.
    [gathered, bytes, since] = [[Buffer.from(rest)], rest.length, performance.now()];
  }
  yield text.next(Buffer.concat(gathered), true);
}

/** Without destroying the request when it is given up: it is still to be answered. */
async function* chunksOf(file: Readable, idleMs: number, endsAt: number): AsyncGenerator<Buffer> {
  const chunks = file.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const patienceMs = Math.min(idleMs, endsAt - performance.now());
    if (patienceMs <= 0) throw tooSlow();
    const next = await withTimeout(patienceMs, chunks.next(), tooSlow).catch((error: unknown) => {
      throw error instanceof AppError ? error : brokenOff(error);
    });
    if (next.done === true) return;
    yield next.value;
  }
}

class TextParts {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  private begins = 0;

  next(bytes: Buffer, last: boolean): FilePart {
    const text = this.decoded(bytes, last);
    if (text.includes('\0')) throw badText('contains U+0000');
    const part = { begins: this.begins, text, last };
    this.begins += Buffer.byteLength(text);
    return part;
  }

  /** A character that is cut in two waits for its second half. */
  private decoded(bytes: Buffer, last: boolean): string {
    try {
      return this.decoder.decode(bytes, { stream: !last });
    } catch {
      throw badText('is not UTF-8');
    }
  }
}
