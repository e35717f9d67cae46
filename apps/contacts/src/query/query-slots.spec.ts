import { RuntimeConfig } from '@gangan/runtime';
import { describe, expect, it } from '@jest/globals';
import { setImmediate as tick } from 'node:timers/promises';
import { maxWaiting, QuerySlots } from './query-slots.js';

const slotsFor = (connections: number) =>
  new QuerySlots(new RuntimeConfig({ DATABASE_POOL_SIZE: connections }));

const late = (): number => Date.now() + 60_000;

/** Work that ends on demand, and the order in which it started. */
class ManualWork {
  readonly started: string[] = [];
  private readonly ends = new Map<string, () => void>();

  readonly work = (name: string) => () =>
    new Promise<string>((resolve) => {
      this.started.push(name);
      this.ends.set(name, () => {
        resolve(name);
      });
    });

  readonly end = async (name: string): Promise<void> => {
    this.ends.get(name)?.();
    await tick();
  };
}

describe('query slots', () => {
  it('are half of the connections, and one organisation does not get all of those', async () => {
    const slots = slotsFor(6);
    const { started, work, end } = new ManualWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => slots.run(name.slice(0, 1), late(), work(name)));
    await tick();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
    await end('b1');
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'c1']);
    for (const name of ['a2', 'a3', 'c1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('work with one connection, and after a failure', async () => {
    const slots = slotsFor(1);
    const failing = slots.run('a', late(), () => Promise.reject(new Error('no')));
    const next = slots.run('a', late(), () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('done');
  });

  it('are not given after the deadline, and go to others', async () => {
    const slots = slotsFor(2);
    const { started, work, end } = new ManualWork();
    const first = slots.run('a', late(), work('first'));
    await expect(slots.run('a', Date.now() - 1, work('late'))).rejects.toMatchObject({ status: 503 });
    const third = slots.run('a', late(), work('third'));
    await end('first');
    await end('third');
    expect([await first, await third, started]).toEqual(['first', 'third', ['first', 'third']]);
  });

  it('are refused to an organisation with many waiting queries', async () => {
    const slots = slotsFor(2);
    const { work, end } = new ManualWork();
    const names = Array.from({ length: 1 + maxWaiting }, (_, index) => String(index));
    const all = names.map((name) => slots.run('a', late(), work(name)));
    await expect(slots.run('a', late(), work('more'))).rejects.toMatchObject({ status: 429 });
    const other = slots.run('b', late(), work('other'));
    for (const name of [...names, 'other']) await end(name);
    await Promise.all([...all, other]);
  });
});
