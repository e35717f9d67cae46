import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FairSlots, halfOfAvailable, SlotTimeoutError } from './fair-slots.js';

/** Work that ends when a test says so, and the order in which it started. */
function harness(slots: FairSlots) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, timeoutMs?: number) =>
    slots.run(
      name.slice(0, 1),
      () =>
        new Promise<string>((resolve) => {
          started.push(name);
          ends.set(name, () => {
            resolve(name);
          });
        }),
      timeoutMs === undefined ? {} : { timeoutMs },
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await turn();
  };
  return { started, run, end };
}

describe('FairSlots.run', () => {
  it('starts synchronously while there is room, then serves the key that has waited longest', async () => {
    const { started, run, end } = harness(new FairSlots({ total: 3, perKey: 2 }));
    const all = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => run(name));
    expect(started).toEqual(['a1', 'a2', 'b1']);
    await end('a1');
    expect(started.slice(3)).toEqual(['a3']);
    await end('b1');
    expect(started.slice(4)).toEqual(['c1']);
    for (const name of ['a2', 'a3', 'c1']) await end(name);
    expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1']);
  });

  it('runs work of one key in sequence with `perKey: 1`, also after a failure, and other keys beside it', async () => {
    const slots = new FairSlots({ perKey: 1 });
    const failing = slots.run('a', () => Promise.reject(new Error('no')));
    const next = slots.run('a', () => Promise.resolve('next'));
    expect([slots.inFlightOf('a'), slots.waitingOf('a'), slots.freeFor('b')]).toEqual([1, 1, 1]);
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('next');
    await slots.idle();
    expect(slots.inFlight).toBe(0);
  });

  it('rejects work that waited too long, without starting it', async () => {
    const { started, run, end } = harness(new FairSlots({ total: 1 }));
    void run('a1');
    const late = run('a2', 1);
    const third = run('a3', 60_000);
    await expect(late).rejects.toBeInstanceOf(SlotTimeoutError);
    await end('a1');
    await end('a3');
    expect([await third, started]).toEqual(['a3', ['a1', 'a3']]);
  });

  it('runs waiting work in the context of its own request', async () => {
    const storage = new AsyncLocalStorage<string>();
    const slots = new FairSlots({ perKey: 1 });
    const contexts = await Promise.all(
      ['one', 'two'].map((name) =>
        storage.run(name, () =>
          slots.run('a', async () => {
            await turn();
            return storage.getStore();
          }),
        ),
      ),
    );
    expect(contexts).toEqual(['one', 'two']);
  });
});

describe('FairSlots.take', () => {
  const fill = (total: number, keys: readonly string[]): number[] => {
    const slots = new FairSlots({ total, perKey: halfOfAvailable });
    return keys.map((key) => {
      const count = slots.freeFor(key);
      slots.take(key, count);
      return count;
    });
  };

  it('gives a key half of what the others leave', () => {
    expect(fill(64, ['a', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])).toEqual([32, 0, 16, 8, 4, 2, 1, 1, 0]);
  });

  it('never gives more than there is, and gives a new key a slot while one is free', () => {
    const keys = fc.array(fc.integer({ min: 1, max: 12 }).map(String));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000 }), keys, (total, asking) => {
        const given = fill(total, asking).reduce((sum, count) => sum + count, 0);
        expect(given).toBeLessThanOrEqual(total);
        const slots = new FairSlots({ total, perKey: halfOfAvailable });
        slots.take('a', given);
        expect(slots.freeFor('new')).toBe(Math.ceil((total - given) / 2));
      }),
    );
  });

  it('frees its slots once, and wakes the callers that wait for them', async () => {
    const slots = new FairSlots({ total: 4, perKey: 2 });
    const release = slots.take('a', 2);
    const copy = slots.copy();
    expect([slots.inFlight, slots.free, slots.fullKeys()]).toEqual([2, 2, ['a']]);
    const released = slots.released();
    release();
    release();
    await Promise.all([released, slots.idle(), slots.released(1)]);
    expect([slots.free, slots.fullKeys(), copy.free]).toEqual([4, [], 2]);
  });

  it('keeps the bounds and starts everything eventually, for any order of events', async () => {
    const jobs = fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), turns: fc.nat(3) }));
    const options = fc.record({
      total: fc.integer({ min: 1, max: 5 }),
      perKey: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.constant(halfOfAvailable)),
    });
    await fc.assert(
      fc.asyncProperty(options, jobs, async (bounds, all) => {
        const slots = new FairSlots(bounds);
        const done = await Promise.all(
          all.map(({ key, turns }) =>
            slots.run(key, async () => {
              expect(slots.inFlight).toBeLessThanOrEqual(bounds.total);
              if (typeof bounds.perKey === 'number')
                expect(slots.inFlightOf(key)).toBeLessThanOrEqual(bounds.perKey);
              for (let count = 0; count < turns; count += 1) await turn();
              return key;
            }),
          ),
        );
        expect(done).toEqual(all.map(({ key }) => key));
        expect([slots.inFlight, slots.waitingOf('a')]).toEqual([0, 0]);
      }),
      { numRuns: 50 },
    );
  });
});
