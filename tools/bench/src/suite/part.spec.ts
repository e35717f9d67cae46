import { describe, expect, it, jest } from '@jest/globals';
import { Resources } from '../processes/resources.js';
import { part } from './part.js';
import { atLeast, type Group, type Point, type SuiteContext } from './scenario.js';

const context: SuiteContext = {
  seconds: 1,
  rounds: 2,
  warmUp: 0,
  rows: 0,
  messages: 0,
  minutes: 0,
  print: () => undefined,
  resources: new Resources(),
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
    open: () => Promise.resolve(measured),
    verify: (run) => {
      run.push('verified');
      return Promise.resolve();
    },
  };
  const common = { title: '', unit: '', limit: '', figure: 'speed', bar: atLeast(1) } as const;
  const [a, b, c] = [point('a', 1), point('b', 2), point('c', 3)];
  const numbers = part(group, [
    { ...common, name: 'one', of: a, beside: b },
    { ...common, name: 'two', of: a },
    { ...common, name: 'three', of: c },
  ]);

  it('measures each point once per round, in every second round in reverse, after it was measured once', async () => {
    const outcomes = await numbers.measure(new Set(['one', 'two']), context);
    expect(measured).toEqual(['a', 'b', 'a', 'b', 'b', 'a', 'verified']);
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

describe('the warm-up of a part', () => {
  /** The points that were measured, for how many seconds each, while the clock goes on by as many. */
  const measureWith = async (warmUp: number, points: readonly Point<undefined>[], measured: string[]) => {
    const group: Group<undefined> = { title: 'warm', rounds: 1, open: () => Promise.resolve(undefined) };
    const rows = points.map((of, n) => ({
      name: `${n}`,
      title: '',
      unit: '',
      limit: '',
      bar: atLeast(1),
      figure: 'handled',
      of,
    }));
    const names = new Set(rows.map(({ name }) => name));
    await part(group, rows).measure(names, { ...context, seconds: 2, warmUp });
    return measured;
  };
  const pointOf = (
    measured: string[],
    title: string,
    handled: number,
    own: Partial<Point<undefined>> = {},
  ) => ({
    title,
    measure: (_run: undefined, { seconds }: SuiteContext) => {
      measured.push(`${title} ${seconds}`);
      return Promise.resolve({ handled });
    },
    ...own,
  });

  it('measures until the processes of a point have handled enough, whichever point they handled it for', async () => {
    const measured: string[] = [];
    const points = [
      pointOf(measured, 'a', 40, { processes: { name: 'system' } }),
      pointOf(measured, 'b', 1, { processes: { name: 'system' } }),
      pointOf(measured, 'c', 100, { processes: { name: 'copies', copies: 2 } }),
    ];
    expect(await measureWith(100, points, measured)).toEqual([
      ...['a 2', 'a 2', 'a 2', 'c 2', 'c 2'],
      ...['a 2', 'b 2', 'c 2'],
    ]);
  });

  it('measures briefly once more what was idle for too long', async () => {
    const measured: string[] = [];
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = (title: string) => {
      const point = pointOf(measured, title, 100);
      const measure: typeof point.measure = (run, own) => {
        now += 20_000;
        return point.measure(run, own);
      };
      return { ...point, measure };
    };
    const points = ['a', 'b', 'c'].map(slow);
    expect(await measureWith(1, points, measured)).toEqual([
      ...['a 2', 'b 2', 'c 2'],
      ...['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2'],
    ]);
    jest.restoreAllMocks();
  });
});
