import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TurnQueue } from './turn-queue.js';

/** Items are texts like `a1`: their first letter is the key. */
const queueOf = (items: string) => {
  const queue = new TurnQueue<string>((item) => item.slice(0, 1));
  for (const item of items.split(' ').filter(Boolean)) queue.add(item);
  return queue;
};
const take = (queue: TurnQueue<string>, max: number, maxOf?: (key: string) => number): string =>
  queue.take(max, maxOf).join(' ');

describe('TurnQueue', () => {
  it('takes one item of each key in turn, the oldest first', () => {
    const queue = queueOf('a1 a2 a3 a4 b1 b2 c1');
    expect(take(queue, 6)).toBe('a1 b1 c1 a2 b2 a3');
    expect(take(queue, 6)).toBe('a4');
    expect([queue.isEmpty, take(queue, 1)]).toEqual([true, '']);
  });

  it('continues with the key whose turn is next', () => {
    const queue = queueOf('a1 a2 b1 b2 c1 c2');
    expect(take(queue, 2)).toBe('a1 b1');
    queue.add('d1');
    expect(take(queue, 2)).toBe('c1 a2');
    expect(take(queue, 9)).toBe('b2 d1 c2');
  });

  it('passes over a key that may have no more, which keeps its turn', () => {
    const queue = queueOf('a1 a2 b1 b2 b3 c1');
    expect(take(queue, 9, (key) => ({ a: 0, b: 2 })[key] ?? 9)).toBe('b1 c1 b2');
    expect(take(queue, 1)).toBe('a1');
  });

  it('has an item once, in its old place', () => {
    const queue = new TurnQueue<{ key: string; id: number; version: number }>(
      ({ key }) => key,
      ({ id }) => id,
    );
    for (const version of [1, 2]) for (const id of [1, 2]) queue.add({ key: 'a', id, version });
    expect([queue.count('a'), queue.has({ key: 'a', id: 1, version: 3 })]).toEqual([2, true]);
    expect(queue.take(9).map(({ id, version }) => `${id}.${version}`)).toEqual(['1.2', '2.2']);
  });

  it('removes single items, wherever they wait', () => {
    const queue = queueOf('a1 a2 a3 b1');
    for (const item of ['a2', 'a3', 'b1', 'b2', 'x']) queue.delete(item);
    expect([[...queue.keys()], queue.count('b'), queue.has('a2')]).toEqual([['a'], 0, false]);
    queue.add('a3');
    expect(take(queue, 9)).toBe('a1 a3');
  });
});

describe('a turn queue with random items', () => {
  const keys = ['a', 'b', 'c', 'd'];
  const keyOf = (item: string): string => item.slice(0, 1);
  const ofKey = (key: string, items: readonly string[]) => items.filter((item) => keyOf(item) === key);
  const items = fc.array(fc.constantFrom(...keys), { maxLength: 40 });
  const numbered = (added: readonly string[]) => added.map((key, index) => `${key}${index}`);

  it('keeps the order of each key and all limits, and takes as much as they allow', () => {
    const limits = fc.record({ a: fc.nat(4), b: fc.nat(4), c: fc.nat(4), d: fc.nat(4) });
    fc.assert(
      fc.property(items, fc.array(fc.nat(39)), fc.nat(12), limits, (added, removed, max, maxOf) => {
        const all = numbered(added);
        const queue = queueOf(all.join(' '));
        const gone = new Set(removed.map((index) => all[index] ?? 'none'));
        for (const item of gone) queue.delete(item);
        const waiting = all.filter((item) => !gone.has(item));
        const limitOf = (key: string) => (maxOf as Readonly<Record<string, number>>)[key] ?? 0;
        const taken = queue.take(max, limitOf);

        for (const key of keys) {
          const own = ofKey(key, taken);
          expect(own).toEqual(ofKey(key, waiting).slice(0, Math.min(own.length, limitOf(key))));
          expect(queue.count(key)).toBe(ofKey(key, waiting).length - own.length);
        }
        const possible = keys.map((key) => Math.min(limitOf(key), ofKey(key, waiting).length));
        expect(taken).toHaveLength(
          Math.min(
            max,
            possible.reduce((sum, count) => sum + count),
          ),
        );
        expect(queue.isEmpty).toBe(taken.length === waiting.length);
      }),
    );
  });

  it('starves no key: while one waits, no other has two turns', () => {
    const step = fc.oneof(fc.constantFrom(...keys), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const queue = queueOf('');
        /** Of each key with items: how many, and the turns of others since it began to wait for its own. */
        const waiting = new Map<string, { count: number; others: readonly string[] }>();
        for (const [index, action] of steps.entries()) {
          if (typeof action === 'string') {
            queue.add(`${action}${index}`);
            const { count, others } = waiting.get(action) ?? { count: 0, others: [] };
            waiting.set(action, { count: count + 1, others });
            continue;
          }
          for (const taken of queue.take(action).map(keyOf)) {
            for (const [key, { count, others }] of waiting) {
              if (key !== taken) waiting.set(key, { count, others: [...others, taken] });
              else if (count > 1) waiting.set(key, { count: count - 1, others: [] });
              else waiting.delete(key);
            }
            for (const { others } of waiting.values()) expect(new Set(others).size).toBe(others.length);
          }
        }
      }),
    );
  });
});
