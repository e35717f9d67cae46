import { setImmediate as turn } from 'node:timers/promises';

const slice = 100;

/** Like `map`, but lets others have a turn now and then: a thousand are a good while. */
export async function inSlices<T, R>(items: readonly T[], work: (item: T, place: number) => R): Promise<R[]> {
  const results: R[] = [];
  for (const [place, item] of items.entries()) {
    if (place > 0 && place % slice === 0) await turn();
    results.push(work(item, place));
  }
  return results;
}
