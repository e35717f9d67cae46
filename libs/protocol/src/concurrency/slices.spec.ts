import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { Slices } from './slices.js';

describe('slices', () => {
  const items = Array.from({ length: 100 }, (_, index) => index);

  /** Runs several callers, and counts the items of each turn of the event loop. Each item takes a millisecond. */
  async function run(callers: number, sliceMs: number) {
    let now = 0;
    const slices = new Slices(sliceMs, () => now);
    const order: string[] = [];
    const perTurn: number[] = [];
    const work = (caller: number) => (item: number) => {
      now += 1;
      order.push(`${caller}.${item}`);
      return item * 2;
    };
    const end = new AbortController();
    const counting = (async () => {
      for (let before = 0; !end.signal.aborted; before = order.length) {
        await nextTurn();
        perTurn.push(order.length - before);
      }
    })();
    const results = await Promise.all(
      Array.from({ length: callers }, (_, caller) => slices.map(items, work(caller))),
    );
    end.abort();
    await counting;
    return { results, order, perTurn };
  }

  it('map all items in their order', async () => {
    const { results, order } = await run(1, 2);
    expect(results).toEqual([items.map((item) => item * 2)]);
    expect(order).toEqual(items.map((item) => `0.${item}`));
  });

  it.each([1, 8])('occupy one slice per turn of the event loop, with %i callers', async (callers) => {
    const { perTurn, results } = await run(callers, 5);
    expect(results).toHaveLength(callers);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(5);
    expect(perTurn.length).toBeGreaterThanOrEqual((callers * items.length) / 5);
  });

  it('have one piece of long work that cannot be divided per turn of the event loop', async () => {
    let [now, begun] = [0, 0];
    const slices = new Slices(5, () => now);
    const work = items.slice(0, 4).map(async () => {
      await slices.begin();
      [now, begun] = [now + 20, begun + 1];
    });
    for (const later of [2, 3, 4]) {
      await nextTurn();
      expect(begun).toBe(later);
    }
    await Promise.all(work);
  });

  it('are not waited for by short lists', async () => {
    let [now, done] = [0, 0];
    const slices = new Slices(5, () => now);
    const work = (): void => {
      [now, done] = [now + 1, done + 1];
    };
    const long = slices.map(items, work);
    expect(done).toBe(5);
    const short = slices.map(items.slice(0, 9), work);
    expect(done).toBe(14);
    await Promise.all([long, short]);
    expect(done).toBe(items.length + 9);
  });

  it('end with the first result of a search', async () => {
    const looked: number[] = [];
    const find = (item: number): string | undefined => {
      looked.push(item);
      return item === 3 ? 'found' : undefined;
    };
    expect(await new Slices().find(items, find)).toBe('found');
    expect(looked).toEqual([0, 1, 2, 3]);
    expect(await new Slices().find<number, string>(items, () => undefined)).toBeUndefined();
  });

  it('go to the callers in turns', async () => {
    const { order } = await run(2, 10);
    const first = order.slice(0, items.length).filter((item) => item.startsWith('0.'));
    expect(first.length).toBeGreaterThanOrEqual(40);
    expect(first.length).toBeLessThanOrEqual(60);
  });

  it('leave the next slice to others if the work throws', async () => {
    const slices = new Slices();
    const failed = slices.map(items, () => {
      throw new Error('broken');
    });
    await expect(failed).rejects.toThrow('broken');
    expect(await slices.map(items, (item) => item)).toEqual(items);
  });
});
