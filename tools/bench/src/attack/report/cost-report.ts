import { markdownTable } from '../../report/markdown-table.js';
import { median } from '../../statistics.js';
import { type AttackName, attackOf, maxCostRatio } from '../attacks.js';
import type { RequestCost } from '../cost.js';

/** What a plain and a hostile request cost in one round. */
export interface CostRound {
  readonly attack: AttackName;
  readonly plain: RequestCost;
  readonly hostile: RequestCost;
}

/** A process with a smaller share of the cost of a request is not used by it: what it does then is noise. */
const usedShare = 0.1;
const leastMicroseconds = 100;

const heads = ['Processor time', 'Process', 'Plain request', 'Hostile request', 'Ratio', 'At most'];

interface ProcessCost {
  readonly name: string;
  readonly isUsed: boolean;
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
      isUsed: rounds.some((round) => isUsed(round, name)),
      plain: of('plain'),
      hostile: of('hostile'),
      ratio: median(rounds.map((round) => ratioOf(round, name))),
    };
  });
}

function ratioOf(round: CostRound, name: string): number {
  const { plain, hostile } = round;
  if (!isUsed(round, name)) return 1;
  return (hostile.byProcess[name] ?? NaN) / Math.max(leastOf(plain), plain.byProcess[name] ?? NaN);
}

const isUsed = ({ plain, hostile }: CostRound, name: string): boolean =>
  [plain, hostile].some((cost) => (cost.byProcess[name] ?? NaN) >= leastOf(cost));

const leastOf = (cost: RequestCost): number => Math.max(leastMicroseconds, usedShare * sumOf(cost));

const sumOf = ({ byProcess }: RequestCost): number => Object.values(byProcess).reduce((a, b) => a + b, 0);

/** A line per attack for the gateway, and one for the worker with the highest ratio, if the requests use one. */
export function costReport(rounds: readonly CostRound[]): {
  readonly lines: readonly string[];
  readonly faults: readonly string[];
} {
  const names = [...new Set(rounds.map(({ attack }) => attack))];
  const found = names.flatMap((name) => {
    const { title, limit } = limitOf(name);
    const all = costsOf(rounds.filter(({ attack }) => attack === name));
    const gateway = all.filter((cost) => cost.name === 'gateway');
    const workers = all.filter((cost) => cost.name !== 'gateway' && cost.isUsed);
    const [worst] = workers.toSorted((a, b) => b.ratio - a.ratio);
    return [...gateway, ...(worst ? [worst] : [])].map((cost) => ({ title, limit, ...cost }));
  });
  return {
    lines:
      found.length === 0
        ? []
        : markdownTable([
            heads,
            ...found.map(({ title, limit, ...cost }) => [title, ...cellsOf(cost), `${limit} ×`]),
          ]),
    faults: found
      .filter(({ ratio, limit }) => !(ratio <= limit))
      .map(
        ({ title, limit, name, ratio }) =>
          `${title}: a request takes ${ratio.toFixed(1)} times the processor time of ${name}, at most ${limit} times is allowed`,
      ),
  };
}

/** Its name, the costs and their ratio. */
export const cellsOf = ({ name, isUsed: isCompared, plain, hostile, ratio }: ProcessCost): string[] => [
  name,
  milliseconds(plain),
  milliseconds(hostile),
  isCompared ? `${ratio.toFixed(2)} ×` : '–',
];

function limitOf(name: AttackName): { readonly title: string; readonly limit: number } {
  const attack = attackOf(name);
  return { title: attack.title, limit: attack.kind === 'flood' ? maxCostRatio[attack.by] : Infinity };
}

const milliseconds = (microseconds: number): string => `${(microseconds / 1_000).toFixed(2)} ms`;
