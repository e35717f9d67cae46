import { markdownTable } from '../../report/markdown-table.js';
import type { Bar, Scenario } from '../scenario.js';
import { judge, type Judgement, type Measured } from './result.js';

const heads = ['Scenario', 'Measured', 'Beside', 'Result', 'Spread', 'Bar', '', 'What limits it'];

const verdicts: Readonly<Record<Judgement['verdict'], string>> = {
  holds: 'holds',
  close: 'within the spread',
  missed: 'missed',
  skipped: 'skipped',
  failed: 'FAILED',
};

/** A table with a row per scenario: medians, the ratio, its spread (quartiles of the rounds), and the bar. */
export const suiteReport = (results: readonly Measured[]): string[] =>
  markdownTable([heads, ...results.map(cellsOf)]);

function cellsOf(one: Measured): string[] {
  const { title, comparedWith = '–', unit, limit } = one.scenario;
  const judged = judge(one);
  const last = [barText(one.scenario), verdicts[judged.verdict], limit];
  if ('reason' in judged) return [title, '–', comparedWith, '–', judged.reason, ...last];
  const { value, beside, result, low, high } = judged.summary;
  return [
    title,
    `${number(value)} ${unit}`,
    beside === undefined ? '–' : `${comparedWith}: ${number(beside)} ${unit}`,
    `${number(result)} ${unitOf(one.scenario)}`,
    `${number(low)}–${number(high)}`,
    ...last,
  ];
}

const number = (value: number): string =>
  Math.abs(value) >= 100
    ? value.toLocaleString('en', { maximumFractionDigits: 0 })
    : value.toLocaleString('en', { maximumSignificantDigits: 3 });

export const barText = (scenario: Scenario): string => {
  const [sign, value] = limitOf(scenario.bar);
  return `${sign} ${number(value)} ${unitOf(scenario)}`;
};

const limitOf = (bar: Bar): [sign: string, value: number] =>
  'atLeast' in bar ? ['≥', bar.atLeast] : ['≤', bar.atMost];

/** The unit of the result: a ratio, or the unit of the figure. */
const unitOf = ({ comparedWith, unit }: Scenario): string => (comparedWith === undefined ? unit : '×');

/** The sentences of `--check`: what misses its bar by more than the spread, or failed; and what was not measured. */
export function checkResults(results: readonly Measured[]): {
  readonly lines: readonly string[];
  readonly passes: boolean;
} {
  const judged = results.map((result) => ({ result, verdict: judge(result).verdict }));
  const bad = judged.filter(({ verdict }) => verdict === 'missed' || verdict === 'failed');
  const skipped = judged.filter(({ verdict }) => verdict === 'skipped');
  const held = results.length - bad.length - skipped.length;
  return {
    lines: [
      ...[...bad, ...skipped].map(({ result }) => describe(result)),
      `${held} of ${held + bad.length} bars hold or are missed by no more than the spread; ${skipped.length} skipped`,
    ],
    passes: bad.length === 0,
  };
}

function describe(measured: Measured): string {
  const [, , , reached, spread] = cellsOf(measured);
  const { scenario } = measured;
  const judged = judge(measured);
  const detail =
    'reason' in judged ? judged.reason : `${reached} (${spread}), the bar is ${barText(scenario)}`;
  return `${judged.verdict}: ${scenario.name}: ${detail}`;
}
