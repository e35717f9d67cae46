import { describe, expect, it } from '@jest/globals';
import { restartOrder } from './restart-order.js';

const processes = ['gateway-1', 'gateway-2', 'otp-1', 'messaging-1'];
const take = (seed: number, count: number): string[] => {
  const order = restartOrder(seed, processes);
  return Array.from({ length: count }, () => order.next().value);
};

describe('the order of restarts', () => {
  it('has every process once per round', () => {
    const names = take(1, 12);
    for (const round of [names.slice(0, 4), names.slice(4, 8), names.slice(8)])
      expect(round.toSorted()).toEqual(processes.toSorted());
  });

  it('depends only on the seed', () => {
    expect(take(7, 40)).toEqual(take(7, 40));
    expect(take(7, 40)).not.toEqual(take(8, 40));
  });
});
