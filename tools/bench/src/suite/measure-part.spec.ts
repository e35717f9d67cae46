import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Resources } from '@gangan/testing';
import { measurePart } from './measure-part.js';
import type { Figures, Part, Scenario } from './scenario.js';

const context = { seconds: 2, rounds: 2, warmUp: 0, minutes: 0, print: () => undefined };

/** Measures pairs of points (`of` and `beside`); `figuresOf` returns the figures of a point. */
async function measure(
  pairs: readonly (readonly [of: string, beside?: string])[],
  figuresOf: (point: string, seconds: number) => Figures,
  {
    chosen = pairs.map((_, index) => `${index}`),
    ...options
  }: { chosen?: string[]; [option: string]: unknown },
) {
  const common = { title: '', figure: 'speed', unit: '', bar: { atLeast: 1 }, limit: '' };
  const scenarios = pairs.map(([of, beside], index): Scenario => {
    const row = { ...common, name: `${index}`, of };
    return beside === undefined ? row : { ...row, beside };
  });
  const measured: string[] = [];
  const part: Part = {
    title: 'numbers',
    scenarios,
    open: () =>
      Promise.resolve({
        measure: (point, { seconds }) => {
          measured.push(`${point} ${seconds}`);
          return Promise.resolve(figuresOf(point, seconds));
        },
        verify: () => Promise.resolve(void measured.push('verified')),
      }),
  };
  const outcomes = await measurePart(part, chosen, { ...context, ...options, resources: new Resources() });
  return { measured, outcomes };
}

describe('a part of the suite', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('measures each point once per round, in every second round in reverse, after it was measured once', async () => {
    let count = 0;
    const { measured, outcomes } = await measure(
      [['a', 'b'], ['a'], ['c']],
      () => ({ speed: (count += 1) }),
      {
        chosen: ['0', '1'],
      },
    );
    expect(measured).toEqual([...['a 2', 'b 2'], ...['a 2', 'b 2'], ...['b 2', 'a 2'], 'verified']);
    expect([...outcomes]).toEqual([
      [
        '0',
        {
          pairs: [
            { value: 3, beside: 4 },
            { value: 6, beside: 5 },
          ],
        },
      ],
      ['1', { pairs: [{ value: 3 }, { value: 6 }] }],
    ]);
  });

  it('warms up until a server has handled enough, whichever point it handled it for', async () => {
    const handled: Record<string, number> = { 'system, 64': 40, 'system, 1': 1, other: 100 };
    const { measured } = await measure(
      [['system, 64', 'system, 1'], ['other']],
      (point) => ({ handled: handled[point] ?? 0 }),
      { rounds: 1, warmUp: 100 },
    );
    expect(measured).toEqual([
      ...['system, 64 2', 'system, 64 2', 'system, 64 2', 'system, 1 2', 'other 2'],
      ...['system, 64 2', 'system, 1 2', 'other 2', 'verified'],
    ]);
  });

  it('measures briefly once more what was idle for too long', async () => {
    let now = 0;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const slow = (): Figures => {
      now += 20_000;
      return { handled: 100 };
    };
    const { measured } = await measure([['a'], ['b'], ['c']], slow, { rounds: 1 });
    expect(measured).toEqual([
      ...['a 2', 'b 2', 'c 2'],
      ...['a 1', 'a 2', 'b 1', 'b 2', 'c 1', 'c 2', 'verified'],
    ]);
  });

  it('fails alone', async () => {
    const { outcomes } = await measure(
      [['a']],
      () => {
        throw new Error('no figures');
      },
      {},
    );
    expect(outcomes.get('0')).toEqual({ failed: 'no figures' });
  });
});
