import { markdownTable } from '../../report/markdown-table.js';
import type { Scenario } from '../scenario.js';
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
  const { title, beside: comparedWith = '–', unit, limit } = one.scenario;
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
  value.toLocaleString(
    'en',
    Math.abs(value) >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 3 },
  );

/** The unit of the result: a ratio, or the unit of the figure. */
const unitOf = ({ beside, unit }: Scenario): string => (beside === undefined ? unit : '×');

export const barText = (scenario: Scenario): string => {
  const { bar } = scenario;
  const limit = 'atLeast' in bar ? `≥ ${number(bar.atLeast)}` : `≤ ${number(bar.atMost)}`;
  return `${limit} ${unitOf(scenario)}`;
};

/** The sentences of `--check`: what misses its bar by more than the spread, or failed; and what was not measured. */
export function checkResults(results: readonly Measured[]): {
  readonly lines: readonly string[];
  readonly passes: boolean;
} {
  const withVerdict = (...wanted: readonly Judgement['verdict'][]): Measured[] =>
    results.filter((result) => wanted.includes(judge(result).verdict));
  const [bad, skipped] = [withVerdict('missed', 'failed'), withVerdict('skipped')];
  const held = results.length - bad.length - skipped.length;
  const summary = `${held} of ${held + bad.length} bars hold or are missed by no more than the spread; ${skipped.length} skipped`;
  return { lines: [...[...bad, ...skipped].map(describe), summary], passes: bad.length === 0 };
}

function describe(measured: Measured): string {
  const [, , , reached, spread] = cellsOf(measured);
  const { scenario } = measured;
  const judged = judge(measured);
  const detail =
    'reason' in judged ? judged.reason : `${reached} (${spread}), the bar is ${barText(scenario)}`;
  return `${judged.verdict}: ${scenario.name}: ${detail}`;
}
