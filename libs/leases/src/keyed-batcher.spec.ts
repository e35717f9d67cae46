import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
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
