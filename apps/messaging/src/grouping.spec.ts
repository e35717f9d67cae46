import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { awaitAll } from './grouping.js';

it('waits for the slowest promise before it throws', async () => {
  let ended = false;
  const slow = sleep(20).then(() => (ended = true));
  await expect(awaitAll([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(ended).toBe(true);
});

it('returns the results in order', async () => {
  expect(await awaitAll([sleep(5, 'a'), Promise.resolve(1)])).toEqual(['a', 1]);
});
