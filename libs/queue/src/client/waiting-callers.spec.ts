import { setImmediate as turn } from 'node:timers/promises';
import { fail, succeed } from '@gangan/protocol';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { WaitingCallers } from './waiting-callers.js';

describe('waiting callers', () => {
  let callers: WaitingCallers;
  const seen: string[] = [];
  beforeEach(() => {
    callers = new WaitingCallers();
    seen.splice(0);
  });

  const wait = (id: string, waitMs = 60_000): void => {
    callers.add(id, waitMs, {
      arrived: () => seen.push(`${id} is here`),
      answered: ({ ok }) => seen.push(`${id} ${ok ? 'answered' : 'refused'}`),
      gaveUp: () => seen.push(`${id} gave up`),
    });
  };

  it('are told after everything that their answers make room for has left', async () => {
    wait('a');
    wait('b');
    callers.answer([
      ['a', succeed('yes')],
      ['b', fail(new Error('no'))],
    ]);
    expect(seen).toEqual(['a is here', 'b is here']);
    await turn();
    expect(seen.slice(2)).toEqual(['a answered', 'b refused']);
  });

  it('are told once, and not at all when they have gone', async () => {
    wait('a');
    wait('gone');
    callers.forget('gone');
    const answers = ['a', 'gone', 'unheard of'].map((id) => [id, succeed('yes')] as const);
    callers.answer(answers);
    callers.answer(answers);
    await turn();
    await turn();
    expect(seen.filter((line) => line.endsWith('answered'))).toEqual(['a answered']);
  });

  it('give up when no answer comes, and hear none after that', async () => {
    wait('a', 1);
    while (seen.length === 0) await turn();
    callers.answer([['a', succeed('late')]]);
    await turn();
    expect(seen).toEqual(['a gave up']);
  });
});
