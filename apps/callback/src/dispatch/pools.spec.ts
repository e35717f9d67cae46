import { describe, expect, it } from '@jest/globals';
import { Pools, type SlotKind } from './pools.js';

const open = (fast: number, slow: number) => {
  const changes: [SlotKind, number][] = [];
  const pools = new Pools({ fast, slow }, (kind, inFlight) => void changes.push([kind, inFlight]));
  const free = () => ({ fast: pools.byPool.fast.free, slow: pools.byPool.slow.free });
  return { pools, changes, free };
};

describe('slots', () => {
  it('are taken and released once', () => {
    const { pools, changes, free } = open(2, 1);
    const slot = pools.take('fast', 'a');
    expect(free()).toEqual({ fast: 1, slow: 1 });
    slot.release();
    slot.release();
    expect(free()).toEqual({ fast: 2, slow: 1 });
    expect(changes).toEqual([
      ['fast', 1],
      ['fast', 0],
    ]);
  });

  it('of the fast pool are free again when an attempt turns out slow; the slow pool is unaffected', () => {
    const { pools, free } = open(1, 1);
    const slot = pools.take('fast', 'a');
    expect([slot.moveToLate(), slot.moveToLate()]).toEqual([true, true]);
    expect(free()).toEqual({ fast: 1, slow: 1 });
    slot.release();
    expect(free()).toEqual({ fast: 1, slow: 1 });
  });

  it('stay taken while too many attempts are late, and are freed later', () => {
    const { pools, free } = open(10, 1);
    const taken = Array.from({ length: 5 }, () => pools.take('fast', 'a'));
    expect(taken.map((slot) => slot.moveToLate())).toEqual([true, true, false, false, false]);
    expect(pools.take('fast', 'b').moveToLate()).toBe(true);
    taken[0]?.release();
    expect(taken[4]?.moveToLate()).toBe(true);
    expect(free()).toEqual({ fast: 8, slow: 1 });
  });

  it('are never all taken by one organisation whose hosts hang', () => {
    const { pools } = open(64, 64);
    for (let host = 0; host < 450; host++) {
      if (pools.byPool.fast.freeFor('a') > 0) pools.take('fast', 'a').moveToLate();
    }
    expect([pools.byPool.fast.freeFor('a'), pools.byPool.fast.free, pools.byPool.slow.free]).toEqual([
      0, 32, 64,
    ]);
    expect(pools.take('fast', 'b').moveToLate()).toBe(true);
  });
});
