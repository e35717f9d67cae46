import { describe, expect, it } from '@jest/globals';
import { attackReport, type AttackRound, slowdownOf, type View } from './attack-report.js';

const view = (requests: number, callbacks: number): View => ({
  requests: { median: 1, p99: requests },
  callbacks: { median: 1, p99: callbacks },
});
const round = (before: View, during: View, peak = 200): AttackRound => ({
  attack: 'spaces',
  before,
  during,
  memory: { before: 150, peak },
  answers: {},
});
const faultsOf = (...rounds: AttackRound[]): readonly string[] => attackReport(rounds, 2).faults;

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
    expect(attackReport([round(view(10, 10), view(30, 10))], 3).faults).toEqual([]);
  });

  it('names an attack with which the gateway once held more memory than its container has', () => {
    const quick = view(10, 10);
    expect(faultsOf(round(quick, quick, 512))).toEqual([]);
    expect(faultsOf(round(quick, quick, 200), round(quick, quick, 685), round(quick, quick, 200))).toEqual([
      '1 MiB of spaces: the gateway holds 685 MB',
    ]);
  });

  it('has a line for each attack', () => {
    const { lines } = attackReport([round(view(8, 40), view(12, 60))], 2);
    expect(lines[1]).toMatch(
      /^1 MiB of spaces +8\.0 ms +12 ms +1\.50 × +40 ms +60 ms +1\.50 × +150 MB +200 MB$/,
    );
  });
});
