import { describe, expect, it } from '@jest/globals';
import { attackReport, type AttackRound, slowdownOf, type View } from './attack-report.js';

const view = (requests: number, callbacks: number): View => ({
  requests: { median: 1, p99: requests },
  callbacks: { median: 1, p99: callbacks },
});
const round = (before: View, during: View): AttackRound => ({
  attack: 'spaces',
  before,
  during,
  answers: {},
});

describe('the report of the attacks', () => {
  it('compares within each round', () => {
    const rounds = [round(view(10, 10), view(10, 20)), round(view(100, 10), view(150, 10))];
    expect(slowdownOf(rounds, 'requests')).toBeCloseTo(1.25);
    expect(slowdownOf(rounds, 'callbacks')).toBeCloseTo(1.5);
  });

  it('holds up to twice the time, of requests and of callbacks', () => {
    expect(attackReport([round(view(10, 10), view(20, 20))]).holds).toBe(true);
    expect(attackReport([round(view(10, 10), view(21, 10))]).holds).toBe(false);
    expect(attackReport([round(view(10, 10), view(10, 21))]).holds).toBe(false);
    expect(attackReport([round(view(10, 10), view(Infinity, 10))]).holds).toBe(false);
  });

  it('has a line for each attack', () => {
    const { lines } = attackReport([round(view(8, 40), view(12, 60))]);
    expect(lines[1]).toMatch(/^1 MiB of spaces +8\.0 ms +12 ms +1\.50 × +40 ms +60 ms +1\.50 ×$/);
  });
});
