import { type Cells, cellsOf } from './format.js';
import { judge, type Measured } from './result.js';

const heads: Cells = {
  title: 'scenario',
  figure: 'measured',
  beside: 'beside',
  result: 'result',
  spread: 'spread',
  bar: 'bar',
  verdict: '',
};
const columns = Object.keys(heads) as (keyof Cells)[];

/** One line per scenario: medians, the ratio, its spread (quartiles of the rounds), and the bar. */
export function suiteReport(results: readonly Measured[]): string[] {
  const rows = [heads, ...results.map(cellsOf)];
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    columns
      .map((column, index) => row[column].padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** The sentences of `--check`: what misses its bar by more than the spread, or failed; and what was not measured. */
export function checkResults(results: readonly Measured[]): {
  readonly lines: readonly string[];
  readonly passes: boolean;
} {
  const judged = results.map((result) => ({ result, ...judge(result) }));
  const bad = judged.filter(({ verdict }) => verdict === 'missed' || verdict === 'failed');
  const skipped = judged.filter(({ verdict }) => verdict === 'skipped');
  const withBar = judged.filter(({ verdict }) => verdict === 'holds' || verdict === 'close').length;
  return {
    lines: [
      ...bad.map(({ result, verdict }) => describe(result, verdict)),
      ...skipped.map(({ result, verdict }) => describe(result, verdict)),
      `${withBar} of ${withBar + bad.length} bars hold or are missed by no more than the spread; ${skipped.length} skipped`,
    ],
    passes: bad.length === 0,
  };
}

function describe(result: Measured, verdict: string): string {
  const { result: reached, spread, bar } = cellsOf(result);
  const detail = verdict === 'missed' ? `${reached} (${spread}), the bar is ${bar}` : spread;
  return `${verdict}: ${result.scenario.name}: ${detail}`;
}
