export interface StreamBlock {
  readonly block: Buffer;
  readonly isLast: boolean;
}

/** Blocks of `length` bytes; the last one may be shorter or empty. There is always a last one. */
export async function* inBlocks(source: AsyncIterable<Buffer>, length: number): AsyncGenerator<StreamBlock> {
  let pending: Buffer[] = [];
  let pendingLength = 0;
  for await (const chunk of source) {
    pending.push(chunk);
    pendingLength += chunk.length;
    if (pendingLength <= length) continue;
    let rest = Buffer.concat(pending);
    for (; rest.length > length; rest = rest.subarray(length))
      yield { block: rest.subarray(0, length), isLast: false };
    pending = [rest];
    pendingLength = rest.length;
  }
  yield { block: Buffer.concat(pending), isLast: true };
}

/** The first `length` bytes, or all if there are fewer, and what follows them. */
export async function splitOff(
  source: AsyncIterable<Buffer>,
  length: number,
): Promise<{ readonly head: Buffer; readonly rest: AsyncIterable<Buffer> }> {
  const chunks = source[Symbol.asyncIterator]();
  let start: Buffer = Buffer.alloc(0);
  while (start.length < length) {
    const next = await chunks.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  return { head: start.subarray(0, length), rest: following(start.subarray(length), chunks) };
}

async function* following(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  yield* { [Symbol.asyncIterator]: () => chunks };
}
