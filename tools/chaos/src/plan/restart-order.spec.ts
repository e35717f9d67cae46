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

  it('has the processes of an app next to each other', () => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const round = take(seed, 4);
      expect(Math.abs(round.indexOf('gateway-1') - round.indexOf('gateway-2'))).toBe(1);
    }
  });

  it('depends only on the seed', () => {
    expect(take(7, 40)).toEqual(take(7, 40));
    expect(take(7, 40)).not.toEqual(take(8, 40));
  });
});
