import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { allEnded } from './all-ended.js';

it('waits for the slow one before it tells that another failed', async () => {
  let ended = false;
  const slow = pause(20).then(() => (ended = true));
  await expect(allEnded([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(ended).toBe(true);
});

it('gives the results in their order', async () => {
  expect(await allEnded([pause(5, 'a'), Promise.resolve(1)])).toEqual(['a', 1]);
});
