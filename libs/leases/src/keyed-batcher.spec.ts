import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { until } from '@gangan/testing';
import { KeyedBatcher } from './keyed-batcher.js';

/** Members are texts; their first letter is the key. Those with `!` fail, and a batch with `?` fails for all. */
function batcher(maxBatch = 64) {
  const batches: string[] = [];
  const texts = new KeyedBatcher<string, string>({
    keyOf: (member) => member.slice(0, 1),
    maxBatch,
    concernsAll: (error) => error instanceof Error && error.message === '?',
    run: async (members) => {
      batches.push(members.join());
      await turn();
      const fault = ['?', '!'].find((sign) => members.some((member) => member.includes(sign)));
      if (fault) throw new Error(fault);
      return members.map((member) => member.toUpperCase());
    },
  });
  return { batches, texts };
}

describe('KeyedBatcher', () => {
  it('runs one batch of a key at a time, and collects the next meanwhile', async () => {
    const { batches, texts } = batcher(2);
    const results = ['a1', 'a2', 'a3', 'a4', 'b1'].map((member) => texts.add(member));
    expect(await Promise.all(results)).toEqual(['A1', 'A2', 'A3', 'A4', 'B1']);
    expect(batches).toEqual(['a1', 'b1', 'a2,a3', 'a4']);
  });

  it('gathers the calls of one turn of the event loop on request, and those that wait while others run', async () => {
    const ends: (() => void)[] = [];
    const batches: string[] = [];
    const gathering = new KeyedBatcher<number, number>({
      keyOf: () => '',
      gathersTurn: true,
      concurrency: 2,
      run: async (members) => {
        batches.push(members.join());
        await new Promise<void>((end) => ends.push(end));
        return members;
      },
    });
    const results = [1, 2].map((member) => gathering.add(member));
    await turn();
    for (const member of [3, 4, 5]) {
      results.push(gathering.add(member));
      await turn();
    }
    expect(batches).toEqual(['1,2', '3']);
    ends.shift()?.();
    await results[0];
    await turn();
    expect(batches).toEqual(['1,2', '3', '4,5']);
    for (const end of ends) end();
    expect(await Promise.all(results)).toEqual([1, 2, 3, 4, 5]);
    results.push(gathering.add(6));
    await turn();
    ends.at(-1)?.();
    expect(await results[5]).toBe(6);
  });

  it('gathers calls during a pause after a batch', async () => {
    const sizes: number[] = [];
    const pausing = new KeyedBatcher<number, number>({
      keyOf: () => '',
      pauseMs: 50,
      run: (members) => {
        sizes.push(members.length);
        return Promise.resolve(members);
      },
    });
    await pausing.add(1);
    expect(await Promise.all([pausing.add(2), sleep(5).then(() => pausing.add(3))])).toEqual([2, 3]);
    expect(sizes).toEqual([1, 2]);
  });

  it('fails only the member whose result is an error', async () => {
    const refusing = new KeyedBatcher<number, number>({
      keyOf: () => '',
      run: (members) => Promise.resolve(members.map((each) => (each === 2 ? new Error('no') : each))),
      gathersTurn: true,
    });
    const [one, two] = [refusing.add(1), refusing.add(2)];
    await expect(two).rejects.toThrow('no');
    expect(await one).toBe(1);
  });

  it('does not wait for a slow batch', async () => {
    const ends: (() => void)[] = [];
    const sizes: number[] = [];
    const slow = new KeyedBatcher<number, number>({
      keyOf: () => '',
      slowMs: 1,
      run: async (members) => {
        sizes.push(members.length);
        await new Promise<void>((end) => ends.push(end));
        return members;
      },
    });
    const results = [1, 2, 3].map((member) => slow.add(member));
    await until('the next batch runs', () => sizes.length === 2);
    expect(sizes).toEqual([1, 2]);
    for (const end of ends) end();
    expect(await Promise.all(results)).toEqual([1, 2, 3]);
  });

  it('runs the members of a failed batch one by one', async () => {
    const { batches, texts } = batcher();
    const results = ['a1', 'a2', 'a3!', 'a4'].map((member) => texts.add(member));
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(batches).toEqual(['a1', 'a2,a3!,a4', 'a2', 'a3!', 'a4']);
  });

  it('does not run them one by one after an error that concerns all of them', async () => {
    const { batches, texts } = batcher();
    const results = ['a1', 'a2', 'a3?'].map((member) => texts.add(member));
    expect((await Promise.allSettled(results)).map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ]);
    expect(batches).toEqual(['a1', 'a2,a3?']);
  });
});
