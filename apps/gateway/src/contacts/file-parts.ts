import { badText } from './contacts.errors.js';

/** A piece of a file that contains only whole characters. */
export interface FilePart {
  /** The offset in the file, in bytes. */
  readonly begins: number;
  readonly text: string;
  readonly last: boolean;
}

export const partBytes = 262_144;

/**
 * Cuts a file into parts. Reads on only when the previous part has been processed. The first part is full unless it is
 * also the last, because it must contain the header line.
 * @param maxPartAgeMs a part is sent after this time even if it is not full, so that the worker sees progress
 * @throws AppError 400
 */
export async function* partsOf(
  chunks: AsyncIterable<Buffer>,
  maxPartAgeMs: number,
): AsyncGenerator<FilePart> {
  const text = new TextParts();
  let gathered: Buffer[] = [];
  let [bytes, since, first] = [0, performance.now(), true];
  for await (const chunk of chunks) {
    gathered.push(chunk);
    bytes += chunk.length;
    const overdue = !first && performance.now() - since >= maxPartAgeMs;
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
