import type { LatencySummary } from '../../callbacks/callback-report.js';
import type { Memory } from '../../environment/running-processes.js';
import { median } from '../../report/measurement.js';
import { formatLine } from './format-line.js';
import type { Answers } from '../attacker-order.js';
import { type AttackName, attackOf } from '../attacks.js';

/** What the other organisation sees: its requests, and the callbacks to it. */
export interface View {
  readonly requests: LatencySummary;
  readonly callbacks: LatencySummary;
}

export interface AttackRound {
  readonly attack: AttackName;
  readonly before: View;
  readonly during: View;
  /** Of the gateway, in MB. */
  readonly memory: Memory;
  readonly answers: Answers;
}

/** The memory that `docker-compose.yml` gives a gateway. */
const maxMegabytes = 512;

const columns = [
  ...['p99 before', 'during', 'ratio', 'callbacks p99 before', 'during', 'ratio'],
  ...['gateway before', 'peak'],
];
const kinds = ['requests', 'callbacks'] as const;

/** The median of the ratios of the rounds: both measurements of a round share the noise. */
export const slowdownOf = (rounds: readonly AttackRound[], of: keyof View): number =>
  median(rounds.map(({ before, during }) => during[of].p99 / before[of].p99));

/**
 * One line per attack with the medians over the rounds, and the highest memory.
 * @param maxSlowdown how many times as long the other organisation may wait
 */
export function attackReport(
  rounds: readonly AttackRound[],
  maxSlowdown: number,
): { readonly lines: readonly string[]; readonly faults: readonly string[] } {
  const names = [...new Set(rounds.map(({ attack }) => attack))];
  const all = names.map((name) => summarise(rounds.filter(({ attack }) => attack === name)));
  return {
    lines: [formatLine('other organisation', columns, columns), ...all.map(({ line }) => line)],
    faults: all.flatMap(({ title, slowdowns, peak }) => [
      ...kinds
        .filter((kind) => !(slowdowns[kind] <= maxSlowdown))
        .map(
          (kind) => `${title}: the ${kind} of another organisation take ${times(slowdowns[kind])} as long`,
        ),
      ...(peak <= maxMegabytes ? [] : [`${title}: the gateway holds ${megabytes(peak)}`]),
    ]),
  };
}

function summarise(rounds: readonly AttackRound[]) {
  const { title } = attackOf(rounds[0]?.attack ?? 'spaces');
  const slowdowns = { requests: slowdownOf(rounds, 'requests'), callbacks: slowdownOf(rounds, 'callbacks') };
  const peak = Math.max(...rounds.map(({ memory }) => memory.peak));
  const line = formatLine(title, columns, [
    ...kinds.flatMap((kind) => [
      milliseconds(median(rounds.map(({ before }) => before[kind].p99))),
      milliseconds(median(rounds.map(({ during }) => during[kind].p99))),
      `${slowdowns[kind].toFixed(2)} ×`,
    ]),
    megabytes(median(rounds.map(({ memory }) => memory.before))),
    megabytes(peak),
  ]);
  return { title, slowdowns, peak, line };
}

const times = (ratio: number): string => `${ratio.toFixed(1)} times`;
const megabytes = (value: number): string => `${value.toFixed(0)} MB`;
const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
