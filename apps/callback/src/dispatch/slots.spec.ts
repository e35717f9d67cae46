import { describe, expect, it } from '@jest/globals';
import { type Place, Slots } from './slots.js';

const open = (fast: number, slow: number) => {
  const changes: [Place, number][] = [];
  const slots = new Slots({ fast, slow }, (place, taken) => void changes.push([place, taken]));
  const free = () => ({ fast: slots.lanes.fast.free, slow: slots.lanes.slow.free });
  return { slots, changes, free };
};

describe('slots', () => {
  it('are taken and left, once', () => {
    const { slots, changes, free } = open(2, 1);
    const slot = slots.take('fast', 'a');
    expect(free()).toEqual({ fast: 1, slow: 1 });
    slot.leave();
    slot.leave();
    expect(free()).toEqual({ fast: 2, slow: 1 });
    expect(changes).toEqual([
      ['fast', 1],
      ['fast', 0],
    ]);
  });

  it('of the fast are free again when an attempt turns out slow, and those of the slow are not touched', () => {
    const { slots, free } = open(1, 1);
    const slot = slots.take('fast', 'a');
    expect([slot.giveWay(), slot.giveWay()]).toEqual([true, true]);
    expect(free()).toEqual({ fast: 1, slow: 1 });
    slot.leave();
    expect(free()).toEqual({ fast: 1, slow: 1 });
  });

  it('are kept by what turns out slow while too much does, and given way later', () => {
    const { slots, free } = open(10, 1);
    const taken = Array.from({ length: 5 }, () => slots.take('fast', 'a'));
    expect(taken.map((slot) => slot.giveWay())).toEqual([true, true, false, false, false]);
    expect(slots.take('fast', 'b').giveWay()).toBe(true);
    taken[0]?.leave();
    expect(taken[4]?.giveWay()).toBe(true);
    expect(free()).toEqual({ fast: 8, slow: 1 });
  });

  it('are never all held by one organisation, however many of its hosts hang', () => {
    const { slots } = open(64, 64);
    for (let host = 0; host < 450; host++) {
      if (slots.lanes.fast.freeFor('a') > 0) slots.take('fast', 'a').giveWay();
    }
    expect([slots.lanes.fast.freeFor('a'), slots.lanes.fast.free, slots.lanes.slow.free]).toEqual([
      0, 32, 64,
    ]);
    expect(slots.take('fast', 'b').giveWay()).toBe(true);
  });
});
