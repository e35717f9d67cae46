import type { Readable } from 'node:stream';
import { AppError, withTimeout } from '@gangan/protocol';
import { badText, brokenOff, tooLarge, tooSlow } from './contacts.errors.js';

/** A piece of a file that contains only whole characters. */
export interface FilePart {
  /** The offset in the file, in bytes. */
  readonly begins: number;
  readonly text: string;
  readonly last: boolean;
}

export interface FileBounds {
  readonly maxBytes: number;
  /** The time limits for the next bytes and for the whole file. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** A part is sent after this time even if it is not full, so that the worker sees progress of a slow upload. */
  readonly maxPartAgeMs: number;
}

export const partBytes = 262_144;

/**
 * Cuts a file into parts. Reads on only when the previous part has been processed. The first part is full unless it is
 * also the last, because it must contain the header line.
 * @throws AppError 400, 408 or 413
 */
export async function* partsOf(file: Readable, bounds: FileBounds): AsyncGenerator<FilePart> {
  const text = new TextParts();
  const endsAt = performance.now() + bounds.totalTimeoutMs;
  let gathered: Buffer[] = [];
  let [bytes, total, since, first] = [0, 0, performance.now(), true];
  for await (const chunk of chunksOf(file, bounds.idleTimeoutMs, endsAt)) {
    total += chunk.length;
    if (total > bounds.maxBytes) throw tooLarge(bounds.maxBytes);
    gathered.push(chunk);
    bytes += chunk.length;
    const overdue = !first && performance.now() - since >= bounds.maxPartAgeMs;
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
    // A copy, so that the large buffer can be freed.
    [gathered, bytes, since] = [[Buffer.from(rest)], rest.length, performance.now()];
  }
  yield text.next(Buffer.concat(gathered), true);
}

/** Does not destroy the request on an error: the response still has to be sent. */
async function* chunksOf(file: Readable, idleTimeoutMs: number, endsAt: number): AsyncGenerator<Buffer> {
  const chunks = file.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const timeoutMs = Math.min(idleTimeoutMs, endsAt - performance.now());
    if (timeoutMs <= 0) throw tooSlow();
    const next = await withTimeout(timeoutMs, chunks.next(), tooSlow).catch((error: unknown) => {
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
    const text = this.decode(bytes, last);
    if (text.includes('\0')) throw badText('contains U+0000');
    const part = { begins: this.begins, text, last };
    this.begins += Buffer.byteLength(text);
    return part;
  }

  /** The decoder keeps an incomplete character for the next part. */
  private decode(bytes: Buffer, last: boolean): string {
    try {
      return this.decoder.decode(bytes, { stream: !last });
    } catch {
      throw badText('is not UTF-8');
    }
  }
}
