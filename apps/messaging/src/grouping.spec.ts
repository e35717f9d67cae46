import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { settleAll, takeTurns } from './grouping.js';

it('waits for the slowest promise before it throws', async () => {
  let ended = false;
  const slow = sleep(20).then(() => (ended = true));
  await expect(settleAll([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(ended).toBe(true);
});

it('returns the results in order', async () => {
  expect(await settleAll([sleep(5, 'a'), Promise.resolve(1)])).toEqual(['a', 1]);
});

it('takes one item of each group in turn', () => {
  expect(takeTurns([['a1', 'a2', 'a3'], [], ['b1'], ['c1', 'c2']])).toEqual([
    'a1',
    'b1',
    'c1',
    'a2',
    'c2',
    'a3',
  ]);
});
