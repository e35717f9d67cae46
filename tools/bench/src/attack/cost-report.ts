import { median } from '../report/measurement.js';
import { formatLine } from './format-line.js';
import { attackOf, type AttackName, maxCostRatio } from './attacks.js';
import type { RequestCost } from './cost.js';

/** What a plain and a hostile request cost in one round. */
export interface CostRound {
  readonly attack: AttackName;
  readonly plain: RequestCost;
  readonly hostile: RequestCost;
}

/** A process with a smaller share of the cost of a request is not used by it: what it does then is noise. */
const usedShare = 0.1;
const leastMicroseconds = 100;

const columns = ['process', 'plain request', 'hostile request', 'ratio', 'at most'];

interface ProcessCost {
  readonly name: string;
  readonly plain: number;
  readonly hostile: number;
  readonly ratio: number;
}

/** The medians of each process. */
export function costsOf(rounds: readonly CostRound[]): ProcessCost[] {
  const names = Object.keys(rounds[0]?.plain.byProcess ?? {});
  return names.map((name) => {
    const of = (which: 'plain' | 'hostile'): number =>
      median(rounds.map((round) => round[which].byProcess[name] ?? NaN));
    return {
      name,
      plain: of('plain'),
      hostile: of('hostile'),
      ratio: median(rounds.map((round) => ratioOf(round, name))),
    };
  });
}

function ratioOf({ plain, hostile }: CostRound, name: string): number {
  const [before, after] = [plain.byProcess[name] ?? NaN, hostile.byProcess[name] ?? NaN];
  const least = Math.max(leastMicroseconds, usedShare * sumOf(plain));
  const isUsed = before >= least || after >= Math.max(least, usedShare * sumOf(hostile));
  return isUsed ? after / Math.max(least, before) : 1;
}

const sumOf = ({ byProcess }: RequestCost): number => Object.values(byProcess).reduce((a, b) => a + b, 0);

/** Two lines per attack: of the gateway, and of the worker with the highest ratio. */
export function costReport(rounds: readonly CostRound[]): {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
} {
  const names = [...new Set(rounds.map(({ attack }) => attack))];
  const found = names.flatMap((name) => {
    const { title, limit } = limitOf(name);
    const [gateway = [], workers = []] = partition(
      costsOf(rounds.filter(({ attack }) => attack === name)),
      (cost) => cost.name === 'gateway',
    );
    const worst = workers.toSorted((a, b) => b.ratio - a.ratio || b.hostile - a.hostile).slice(0, 1);
    return [...gateway, ...worst].map((cost) => ({ title, limit, ...cost }));
  });
  return {
    lines: [
      formatLine('processor time', columns, columns),
      ...found.map(({ title, limit, name, plain, hostile, ratio }) =>
        formatLine(title, columns, [
          name,
          milliseconds(plain),
          milliseconds(hostile),
          `${ratio.toFixed(2)} ×`,
          `${limit} ×`,
        ]),
      ),
    ],
    faults: found
      .filter(({ ratio, limit }) => !(ratio <= limit))
      .map(
        ({ title, limit, name, ratio }) =>
          `${title}: a request takes ${ratio.toFixed(1)} times the processor time of ${name}, at most ${limit} times is allowed`,
      ),
  };
}

function limitOf(name: AttackName): { readonly title: string; readonly limit: number } {
  const attack = attackOf(name);
  return { title: attack.title, limit: attack.kind === 'flood' ? maxCostRatio[attack.by] : Infinity };
}

const partition = <T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] => [
  all.filter(belongs),
  all.filter((one) => !belongs(one)),
];

const milliseconds = (microseconds: number): string => `${(microseconds / 1_000).toFixed(2)} ms`;
