import { setImmediate as nextTurn } from 'node:timers/promises';

const sliceSize = 100;

/** Like `map`, but yields to the event loop after each slice: a thousand items take a while. */
export async function mapInSlices<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => R,
): Promise<R[]> {
  const results: R[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % sliceSize === 0) await nextTurn();
    results.push(work(item, index));
  }
  return results;
}
