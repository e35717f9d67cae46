import { beforeEach, describe, expect, it } from '@jest/globals';
import { Lines, type Waiting } from './lines.js';

describe('lines', () => {
  let lines: Lines;
  const went: string[] = [];
  const joined = new Map<string, Waiting>();
  const overs = new Map<string, () => void>();
  beforeEach(() => {
    lines = new Lines({ requests: 12, bytes: 400 });
    joined.clear();
    went.splice(0);
  });

  const join = (line: string, name: string, bytes = 1): boolean => {
    const one: Waiting = {
      bytes,
      go: (over) => {
        went.push(name);
        overs.set(name, over);
      },
    };
    joined.set(name, one);
    return lines.join(line, 2, one);
  };
  const leave = (line: string, name: string): void => {
    const one = joined.get(name);
    if (one) lines.leave(line, one);
  };
  const over = (name: string): void => overs.get(name)?.();

  it('let so many go at a time, the others in their order, and hold nobody of another', () => {
    for (const name of ['a', 'b', 'c', 'd']) expect(join('one', name)).toBe(true);
    join('other', 'x');
    expect(went).toEqual(['a', 'b', 'x']);
    over('b');
    expect(went).toEqual(['a', 'b', 'x', 'c']);
    over('b');
    expect(went).toEqual(['a', 'b', 'x', 'c']);
    over('a');
    expect(went).toEqual(['a', 'b', 'x', 'c', 'd']);
  });

  it('pass over who has left', () => {
    for (const name of ['a', 'b', 'c', 'd']) join('one', name);
    leave('one', 'c');
    over('a');
    expect(went).toEqual(['a', 'b', 'd']);
  });

  it('are not too long, and those who have left take no room', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(join('one', name)).toBe(true);
    expect(join('one', 'f')).toBe(false);
    leave('one', 'd');
    expect(join('one', 'f')).toBe(true);
  });

  it('hold no more bytes than there is room for', () => {
    for (const name of ['a', 'b']) expect(join('one', name, 1_000)).toBe(true);
    expect(join('one', 'c', 60)).toBe(true);
    expect(join('one', 'd', 60)).toBe(false);
    expect(join('one', 'd', 40)).toBe(true);
  });

  it('hold no more all together either', () => {
    const names = ['one', 'two', 'three', 'four', 'five'];
    for (const line of names) for (const name of ['a', 'b']) join(line, `${line} ${name}`);
    for (const line of names.slice(0, 4)) expect(join(line, `${line} c`, 100)).toBe(true);
    expect(join('five', 'five c')).toBe(false);
    over('one a');
    expect(join('five', 'five c')).toBe(true);
  });

  it('begin anew when all are over', () => {
    for (const name of ['a', 'b', 'c']) join('one', name);
    for (const name of ['a', 'b', 'c']) over(name);
    for (const name of ['d', 'e', 'f']) join('one', name);
    expect(went).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
