import { describe, expect, it } from '@jest/globals';
import type { AttackName } from '../attacks.js';
import { slowdownOf, slowdownReport, type SlowdownRound, type View } from './slowdown-report.js';

const view = (requests: number, callbacks: number): View => ({ requests, callbacks });
const round = (ordinary: View, during: View, peak = 200, attack: AttackName = 'spaces'): SlowdownRound => ({
  attack,
  ordinary,
  during,
  memory: 150,
  peak,
  answers: {},
});
const faultsOf = (...rounds: SlowdownRound[]): readonly string[] => slowdownReport(rounds, 2).faults;

describe('the report of the attacks', () => {
  it('compares within each round', () => {
    const rounds = [round(view(10, 10), view(10, 20)), round(view(100, 10), view(150, 10))];
    expect(slowdownOf(rounds, 'requests')).toBeCloseTo(1.25);
    expect(slowdownOf(rounds, 'callbacks')).toBeCloseTo(1.5);
  });

  it('names an attack that makes requests or callbacks more than twice as slow', () => {
    expect(faultsOf(round(view(10, 10), view(20, 20)))).toEqual([]);
    expect(faultsOf(round(view(10, 10), view(21, 10)))).toEqual([
      '1 MiB of spaces: the requests of another organisation take 2.1 times as long',
    ]);
    expect(faultsOf(round(view(10, 10), view(10, 21)))).toHaveLength(1);
    expect(faultsOf(round(view(10, 10), view(Infinity, 10)))).toHaveLength(1);
    expect(slowdownReport([round(view(10, 10), view(30, 10))], 3).faults).toEqual([]);
  });

  it('names an attack with which the gateway once held more memory than its container has', () => {
    const quick = view(10, 10);
    expect(faultsOf(round(quick, quick, 512))).toEqual([]);
    expect(faultsOf(round(quick, quick, 200), round(quick, quick, 685), round(quick, quick, 200))).toEqual([
      '1 MiB of spaces: the gateway holds 685 MB',
    ]);
  });

  it('does not judge how slow ordinary requests of another organisation make it', () => {
    expect(faultsOf(round(view(10, 10), view(30, 30), 200, 'ordinary-estimates'))).toEqual([]);
  });

  it('has a line for each attack', () => {
    const { lines } = slowdownReport([round(view(8, 40), view(12, 60))], 2);
    const cells = lines[2]?.split('|').map((cell) => cell.trim());
    expect(cells?.slice(1, -1)).toEqual([
      ...['1 MiB of spaces', '8.0 ms', '12 ms', '1.50 ×', '40 ms', '60 ms', '1.50 ×', '150 MB', '200 MB'],
    ]);
  });
});
