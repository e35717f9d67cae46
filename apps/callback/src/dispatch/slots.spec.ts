import { describe, expect, it } from '@jest/globals';
import { type Lane } from './isolation.js';
import { Slots } from './slots.js';

const open = (fast: number, slow: number) => {
  const changes: [Lane, number][] = [];
  const slots = new Slots({ fast, slow }, (lane, taken) => void changes.push([lane, taken]));
  return { slots, changes };
};

describe('slots', () => {
  it('are taken and left, once', () => {
    const { slots, changes } = open(2, 1);
    const slot = slots.take('fast');
    expect(slots.free).toEqual({ fast: 1, slow: 1 });
    slot.leave();
    slot.leave();
    expect(slots.free).toEqual({ fast: 2, slow: 1 });
    expect(changes).toEqual([
      ['fast', 1],
      ['fast', 0],
    ]);
  });

  it('of the fast are free again when an attempt turns out slow, even if the slow lane is full', () => {
    const { slots } = open(1, 1);
    slots.take('slow');
    const slot = slots.take('fast');
    slot.giveWay();
    slot.giveWay();
    expect(slots.free).toEqual({ fast: 1, slow: 0 });
    slot.leave();
    expect(slots.free).toEqual({ fast: 1, slow: 0 });
  });

  it('have an end: the slow lane takes only so many more', () => {
    const { slots } = open(10, 1);
    for (let count = 0; count < 10; count++) slots.take('fast').giveWay();
    expect(slots.free).toEqual({ fast: 4, slow: 0 });
  });
});
