import { beforeEach, describe, expect, it } from '@jest/globals';
import { BoundedSlots, type SlotRequest } from './bounded-slots.js';

describe('BoundedSlots', () => {
  let slots: BoundedSlots;
  const started: string[] = [];
  const joined = new Map<string, SlotRequest>();
  const releases = new Map<string, () => void>();
  beforeEach(() => {
    slots = new BoundedSlots({ requests: 12, bytes: 400 });
    joined.clear();
    started.splice(0);
  });

  const join = (line: string, name: string, bytes = 1): boolean => {
    const one: SlotRequest = {
      bytes,
      start: (release) => {
        started.push(name);
        releases.set(name, release);
      },
    };
    joined.set(name, one);
    return slots.join(line, 2, one);
  };
  const leave = (line: string, name: string): void => {
    const one = joined.get(name);
    if (one) slots.leave(line, one);
  };
  const release = (name: string): void => releases.get(name)?.();

  it('limits the requests of a key, starts the others in order, and does not delay other keys', () => {
    for (const name of ['a', 'b', 'c', 'd']) expect(join('one', name)).toBe(true);
    join('other', 'x');
    expect(started).toEqual(['a', 'b', 'x']);
    release('b');
    expect(started).toEqual(['a', 'b', 'x', 'c']);
    release('b');
    expect(started).toEqual(['a', 'b', 'x', 'c']);
    release('a');
    expect(started).toEqual(['a', 'b', 'x', 'c', 'd']);
  });

  it('skips requests that were withdrawn', () => {
    for (const name of ['a', 'b', 'c', 'd']) join('one', name);
    leave('one', 'c');
    release('a');
    expect(started).toEqual(['a', 'b', 'd']);
  });

  it('bounds the waiting requests of a key, without those withdrawn', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(join('one', name)).toBe(true);
    expect(join('one', 'f')).toBe(false);
    leave('one', 'd');
    expect(join('one', 'f')).toBe(true);
  });

  it('bounds the waiting bytes of a key', () => {
    for (const name of ['a', 'b']) expect(join('one', name, 1_000)).toBe(true);
    expect(join('one', 'c', 60)).toBe(true);
    expect(join('one', 'd', 60)).toBe(false);
    expect(join('one', 'd', 40)).toBe(true);
  });

  it('bounds all waiting requests together', () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const line of names) for (const name of ['a', 'b']) join(line, `${line} ${name}`);
    for (const line of names.slice(0, 4)) expect(join(line, `${line} c`, 100)).toBe(true);
    expect(join('five', 'five c')).toBe(false);
    release('one a');
    expect(join('five', 'five c')).toBe(true);
  });

  it('starts over when all are done', () => {
    for (const name of ['a', 'b', 'c']) join('one', name);
    for (const name of ['a', 'b', 'c']) release(name);
    for (const name of ['d', 'e', 'f']) join('one', name);
    expect(started).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
