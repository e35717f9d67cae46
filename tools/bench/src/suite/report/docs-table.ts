import { cellsOf } from './format.js';
import type { Measured } from './result.js';

const begin = '<!-- results: written by pnpm bench --docs -->';
const end = '<!-- end of results -->';

const heads = ['Scenario', 'Measured', 'Beside', 'Result', 'Spread', 'Bar', '', 'What limits it'];

/** The results as a table in Markdown, formatted as oxfmt does. */
export function docsTable(results: readonly Measured[]): string {
  const rows = results.map((result) => {
    const { title, figure, beside, result: reached, spread, bar, verdict } = cellsOf(result);
    return [title, figure, beside, reached, spread, bar, verdict, result.scenario.limit];
  });
  const widths = heads.map((head, index) =>
    Math.max(3, ...[heads, ...rows].map((row) => (row[index] ?? head).length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(heads), line(widths.map((size) => '-'.repeat(size))), ...rows.map(line)].join('\n');
}

/** Replaces what is between the two comments. @throws if they are missing */
export function replaceResults(page: string, text: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`The page needs the comments ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text}\n\n${page.slice(to)}`;
}
