import { markdownTable } from '../../report/markdown-table.js';
import { median } from '../../statistics.js';
import { type AttackName, attackOf, isReference } from '../attacks.js';
import type { Answers } from '../orders.js';

/** The 99th percentiles of the requests of the other organisation, and of the callbacks to it, in milliseconds. */
export interface View {
  readonly requests: number;
  readonly callbacks: number;
}

export interface SlowdownRound {
  readonly attack: AttackName;
  /** While ordinary requests arrive, see `measureSlowdown`. */
  readonly ordinary: View;
  readonly during: View;
  /** Of the gateway before the attack, and the most since then, in MB. */
  readonly memory: number;
  readonly peak: number;
  readonly answers: Answers;
}

/** The memory that `docker-compose.yml` gives a gateway. */
const maxMegabytes = 512;

const heads = [
  ...[
    'Other organisation',
    'Requests, 99 %, ordinary',
    'Attack',
    'Ratio',
    'Callbacks, 99 %, ordinary',
    'Attack',
  ],
  ...['Ratio', 'Gateway before', 'Most'],
];
const kinds = ['requests', 'callbacks'] as const;

/** The median of the ratios of the rounds: both measurements of a round share the noise. */
export const slowdownOf = (rounds: readonly SlowdownRound[], of: keyof View): number =>
  median(rounds.map(({ ordinary, during }) => during[of] / ordinary[of]));

/**
 * One line per attack with the medians over the rounds, and the highest memory.
 * @param maxSlowdown how many times as long the other organisation may wait
 */
export function slowdownReport(
  rounds: readonly SlowdownRound[],
  maxSlowdown: number,
): { readonly lines: readonly string[]; readonly faults: readonly string[] } {
  const names = [...new Set(rounds.map(({ attack }) => attack))];
  const groups = names.map((name) => rounds.filter(({ attack }) => attack === name));
  return {
    lines: groups.length === 0 ? [] : markdownTable([heads, ...groups.map(cellsOf)]),
    faults: groups.flatMap((group) => faultsOf(group, maxSlowdown)),
  };
}

const titleOf = ([round]: readonly SlowdownRound[]): string => attackOf(round?.attack ?? 'spaces').title;
const peakOf = (rounds: readonly SlowdownRound[]): number => Math.max(...rounds.map(({ peak }) => peak));

function faultsOf(rounds: readonly SlowdownRound[], maxSlowdown: number): string[] {
  const faults: string[] = [];
  const isJudged = rounds.some(({ attack }) => !isReference(attackOf(attack)));
  for (const kind of kinds) {
    const ratio = slowdownOf(rounds, kind);
    if (isJudged && !(ratio <= maxSlowdown))
      faults.push(`the ${kind} of another organisation take ${ratio.toFixed(1)} times as long`);
  }
  const peak = peakOf(rounds);
  if (peak > maxMegabytes) faults.push(`the gateway holds ${megabytes(peak)}`);
  return faults.map((fault) => `${titleOf(rounds)}: ${fault}`);
}

const cellsOf = (rounds: readonly SlowdownRound[]): string[] => [
  titleOf(rounds),
  ...kinds.flatMap((kind) => [
    milliseconds(median(rounds.map(({ ordinary }) => ordinary[kind]))),
    milliseconds(median(rounds.map(({ during }) => during[kind]))),
    `${slowdownOf(rounds, kind).toFixed(2)} ×`,
  ]),
  megabytes(median(rounds.map(({ memory }) => memory))),
  megabytes(peakOf(rounds)),
];

const megabytes = (value: number): string => `${value.toFixed(0)} MB`;
const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
