import { beforeEach, describe, expect, it } from '@jest/globals';
import { Lines } from './lines.js';

describe('lines', () => {
  let lines: Lines;
  let gone: Set<string>;
  const went: string[] = [];
  const overs = new Map<string, () => void>();
  beforeEach(() => {
    lines = new Lines({ requests: 3, bytes: 100 });
    gone = new Set();
    went.splice(0);
  });

  const join = (line: string, name: string, bytes = 1): boolean =>
    lines.join(line, 2, {
      bytes,
      get gone() {
        return gone.has(name);
      },
      go: (over) => {
        went.push(name);
        overs.set(name, over);
      },
    });
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

  it('pass over who is gone', () => {
    for (const name of ['a', 'b', 'c', 'd']) join('one', name);
    gone.add('c');
    over('a');
    expect(went).toEqual(['a', 'b', 'd']);
  });

  it('are not too long, and those who are gone take no room', () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) expect(join('one', name)).toBe(true);
    expect(join('one', 'f')).toBe(false);
    gone.add('d');
    expect(join('one', 'f')).toBe(true);
  });

  it('hold no more bytes than there is room for', () => {
    for (const name of ['a', 'b']) expect(join('one', name, 1_000)).toBe(true);
    expect(join('one', 'c', 60)).toBe(true);
    expect(join('one', 'd', 60)).toBe(false);
    expect(join('one', 'd', 40)).toBe(true);
  });

  it('begin anew when all are over', () => {
    for (const name of ['a', 'b', 'c']) join('one', name);
    for (const name of ['a', 'b', 'c']) over(name);
    for (const name of ['d', 'e', 'f']) join('one', name);
    expect(went).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
});
