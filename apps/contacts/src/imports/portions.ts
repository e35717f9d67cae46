import type { Line } from './csv-lines.js';

/**
 * Groups lines into portions of at most so many, and of about so many bytes. When the lines end in an error, what came
 * before it is a portion too.
 */
export async function* inPortions(
  groups: AsyncIterable<readonly Line[]>,
  mostLines: number,
  mostBytes: number,
): AsyncGenerator<Line[]> {
  let portion: Line[] = [];
  let bytes = 0;
  let fault: unknown;
  const taken = (): Line[] => {
    const full = portion;
    [portion, bytes] = [[], 0];
    return full;
  };
  const iterator = groups[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch((error: unknown) => {
        fault = error;
        return undefined;
      });
      if (!next || next.done) break;
      for (const line of next.value) {
        portion.push(line);
        bytes += line.cells.reduce((sum, { length }) => sum + length + 1, 0);
        if (portion.length >= mostLines || bytes >= mostBytes) yield taken();
      }
    }
    if (portion.length > 0) yield taken();
    if (fault !== undefined) throw fault as Error;
  } finally {
    await iterator.return?.();
  }
}
