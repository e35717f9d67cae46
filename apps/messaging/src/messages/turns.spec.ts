import { describe, expect, it } from '@jest/globals';
import { setImmediate as turn } from 'node:timers/promises';
import { Turns } from './turns.js';

describe('turns', () => {
  it('are taken one after the other, whatever comes of them, and others need not wait', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        log.push(`${name} begins`);
        await turn();
        log.push(`${name} ends`);
        if (fails) throw new Error(name);
        return name;
      };
    const all = [
      turns.take('a', work('one', true)),
      turns.take('a', work('two')),
      turns.take('b', work('other')),
    ];
    expect(await Promise.allSettled(all)).toMatchObject([
      { reason: { message: 'one' } },
      { value: 'two' },
      { value: 'other' },
    ]);
    expect(log.filter((line) => !line.startsWith('other'))).toEqual([
      'one begins',
      'one ends',
      'two begins',
      'two ends',
    ]);
    expect(log.indexOf('other begins')).toBeLessThan(log.indexOf('one ends'));
    expect(await turns.take('a', work('three'))).toBe('three');
  });
});
