import { judge, type Judgement, type Measured } from './result.js';
import type { Bar, Scenario } from '../scenario.js';

export const number = (value: number): string =>
  Math.abs(value) >= 100
    ? value.toLocaleString('en', { maximumFractionDigits: 0 })
    : value.toLocaleString('en', { maximumSignificantDigits: 3 });

export const barText = (bar: Bar | undefined, unit: string): string => {
  if (!bar) return '–';
  return 'atLeast' in bar ? `≥ ${number(bar.atLeast)} ${unit}` : `≤ ${number(bar.atMost)} ${unit}`;
};

/** The unit of the result: a ratio, or the unit of the figure. */
export const unitOf = ({ comparedWith, unit }: Scenario): string => (comparedWith === undefined ? unit : '×');

const verdicts: Readonly<Record<Judgement['verdict'], string>> = {
  holds: 'holds',
  close: 'within the spread',
  missed: 'missed',
  open: '–',
  skipped: 'skipped',
  failed: 'FAILED',
};

export interface Cells {
  readonly title: string;
  readonly figure: string;
  readonly beside: string;
  readonly result: string;
  readonly spread: string;
  readonly bar: string;
  readonly verdict: string;
}

/** The texts of one row, for the terminal and for the documentation. */
export function cellsOf(one: Measured): Cells {
  const { scenario } = one;
  const judged = judge(one);
  const unit = unitOf(scenario);
  const common = {
    title: scenario.title,
    bar: barText(scenario.bar, unit),
    verdict: verdicts[judged.verdict],
  };
  const { comparedWith = '–' } = scenario;
  if ('reason' in judged)
    return { ...common, figure: '–', beside: comparedWith, result: '–', spread: judged.reason };
  const { value, beside, result, low, high } = judged.summary;
  return {
    ...common,
    figure: `${number(value)} ${scenario.unit}`,
    beside: beside === undefined ? '–' : `${comparedWith}: ${number(beside)} ${scenario.unit}`,
    result: `${number(result)} ${unit}`,
    spread: `${number(low)}–${number(high)}`,
  };
}
