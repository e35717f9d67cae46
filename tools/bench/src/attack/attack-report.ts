import type { LatencySummary } from '../callbacks/callback-report.js';
import { median } from '../report/measurement.js';
import { type AttackName, titles } from './attack-names.js';
import type { Answers } from './attacker-order.js';

/** What the other organisation sees: its requests, and the callbacks to it. */
export interface View {
  readonly requests: LatencySummary;
  readonly callbacks: LatencySummary;
}

export interface AttackRound {
  readonly attack: AttackName;
  readonly before: View;
  readonly during: View;
  readonly answers: Answers;
}

/** The goal: no attack makes another organisation more than twice as slow. */
export const maxRatio = 2;

const columns = ['p99 before', 'during', 'ratio', 'callbacks p99 before', 'during', 'ratio'];
const titleWidth = 22;

/** The median of the ratios of the rounds: both measurements of a round share the noise. */
export const slowdownOf = (rounds: readonly AttackRound[], of: keyof View): number =>
  median(rounds.map(({ before, during }) => during[of].p99 / before[of].p99));

/** One line per attack with the medians over the rounds. */
export function attackReport(rounds: readonly AttackRound[]): {
  readonly lines: readonly string[];
  readonly holds: boolean;
} {
  const names = [...new Set(rounds.map(({ attack }) => attack))];
  const of = (name: AttackName) => rounds.filter(({ attack }) => attack === name);
  const line = (title: string, cells: readonly string[]): string =>
    title.padEnd(titleWidth) +
    cells.map((cell, index) => cell.padStart((columns[index] ?? '').length + 3)).join('');
  const measured = (name: AttackName, kind: keyof View): string[] => [
    milliseconds(median(of(name).map(({ before }) => before[kind].p99))),
    milliseconds(median(of(name).map(({ during }) => during[kind].p99))),
    `${slowdownOf(of(name), kind).toFixed(2)} ×`,
  ];
  return {
    lines: [
      line('', columns),
      ...names.map((name) =>
        line(titles[name], [...measured(name, 'requests'), ...measured(name, 'callbacks')]),
      ),
    ],
    holds: names.every((name) =>
      (['requests', 'callbacks'] as const).every((kind) => slowdownOf(of(name), kind) <= maxRatio),
    ),
  };
}

const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
