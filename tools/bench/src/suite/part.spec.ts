import { describe, expect, it } from '@jest/globals';
import { part } from './part.js';
import type { Group, Point, SuiteContext } from './scenario.js';

const context: SuiteContext = {
  seconds: 1,
  rounds: 2,
  rows: 0,
  messages: 0,
  minutes: 0,
  print: () => undefined,
  track: () => undefined,
};

describe('a part of the suite', () => {
  const measured: string[] = [];
  const point = (title: string, speed: number): Point<string[]> => ({
    title,
    measure: (run) => {
      run.push(title);
      return Promise.resolve({ speed: speed * run.length });
    },
  });
  const group: Group<string[]> = {
    title: 'numbers',
    open: (_context, work) => work(measured),
    verify: (run) => {
      run.push('verified');
      return Promise.resolve();
    },
  };
  const common = { title: '', unit: '', limit: '', figure: 'speed' } as const;
  const [a, b, c] = [point('a', 1), point('b', 2), point('c', 3)];
  const numbers = part(group, [
    { ...common, name: 'one', of: a, beside: b },
    { ...common, name: 'two', of: a },
    { ...common, name: 'three', of: c },
  ]);

  it('measures each point once per round, in every second round in reverse, after a warm-up', async () => {
    const outcomes = await numbers.measure(new Set(['one', 'two']), context);
    expect(measured).toEqual(['b', 'a', 'a', 'b', 'b', 'a', 'verified']);
    expect(outcomes.get('one')).toEqual({
      pairs: [
        { value: 3, beside: 8 },
        { value: 6, beside: 10 },
      ],
    });
    expect(outcomes.get('two')).toEqual({ pairs: [{ value: 3 }, { value: 6 }] });
    expect(outcomes.has('three')).toBe(false);
  });
});
