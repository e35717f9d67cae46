import { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { setImmediate as tick } from 'node:timers/promises';
import { mostWaiting, QueryTurns } from './query-turns.js';

const turnsOf = (connections: number) =>
  new QueryTurns(new RuntimeConfig({ DATABASE_POOL_SIZE: connections }));

const late = (): number => Date.now() + 60_000;

/** Work that ends when it is told to, and the order in which it began. */
class Rehearsal {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();

  readonly work = (name: string) => () =>
    new Promise<string>((resolve) => {
      this.begun.push(name);
      this.ends.set(name, () => {
        resolve(name);
      });
    });

  async end(name: string): Promise<void> {
    this.ends.get(name)?.();
    await tick();
  }
}

describe('turns of queries', () => {
  it('take half of the connections, and one organisation not all of those', async () => {
    const turns = turnsOf(6);
    const { begun, work, end } = bound(new Rehearsal());
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) =>
      turns.take(name.slice(0, 1), late(), work(name)),
    );
    await tick();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('b1');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3', 'c1']);
    for (const name of ['a2', 'a3', 'c1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('come also with one connection, and after a failure', async () => {
    const turns = turnsOf(1);
    const failing = turns.take('a', late(), () => Promise.reject(new Error('no')));
    const next = turns.take('a', late(), () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });

  it('are given up when they come too late, and leave their place to others', async () => {
    const turns = turnsOf(2);
    const { begun, work, end } = bound(new Rehearsal());
    const first = turns.take('a', late(), work('first'));
    await expect(turns.take('a', Date.now() - 1, work('late'))).rejects.toMatchObject({ status: 503 });
    const third = turns.take('a', late(), work('third'));
    await end('first');
    await end('third');
    expect([await first, await third, begun]).toEqual(['first', 'third', ['first', 'third']]);
  });

  it('are refused to an organisation of which many wait', async () => {
    const turns = turnsOf(2);
    const { work, end } = bound(new Rehearsal());
    const names = Array.from({ length: 1 + mostWaiting }, (_, index) => String(index));
    const all = names.map((name) => turns.take('a', late(), work(name)));
    await expect(turns.take('a', late(), work('more'))).rejects.toMatchObject({ status: 429 });
    const other = turns.take('b', late(), work('other'));
    for (const name of [...names, 'other']) await end(name);
    await Promise.all([...all, other]);
  });
});

const bound = (rehearsal: Rehearsal) => ({
  begun: rehearsal.begun,
  work: rehearsal.work,
  end: rehearsal.end.bind(rehearsal),
});
