import { barText, number, unitOf } from './format.js';
import { judge, type Measured } from './result.js';
import { scoreOf } from './verdict.js';

const labelWidth = 800;
const plotWidth = 400;
const rowHeight = 26;
const top = 40;
const width = labelWidth + plotWidth + 140;
/** Scores beyond it are cut off. */
const maxScore = 4;

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const xOf = (score: number): number => labelWidth + (Math.min(score, maxScore) / maxScore) * plotWidth;

/** One bar per scenario with a bar to reach: how many times it is reached, with the spread. The line is 1. */
export function drawChart(results: readonly Measured[]): string {
  const rows = results.flatMap((result, index) => drawRow(result, index)).join('\n');
  const height = top + results.length * rowHeight + 10;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" role="img" aria-label="Results of pnpm bench relative to their bars">
<style>
text { fill: #1f2328 } .holds { fill: #2f81f7 } .close { fill: #bf8700 } .missed { fill: #cf222e } line { stroke: #57606a }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } line { stroke: #8b949e } }
</style>
<text x="${labelWidth}" y="20">result ÷ bar (bar ÷ result where less is better); the line is the bar</text>
${rows}
<line x1="${xOf(1)}" y1="${top - 10}" x2="${xOf(1)}" y2="${height - 5}" stroke-width="1.5"/>
</svg>
`;
}

function drawRow(result: Measured, index: number): string[] {
  const { scenario } = result;
  const judged = judge(result);
  const y = top + index * rowHeight;
  const title = `${scenario.title}${scenario.comparedWith === undefined ? '' : ` ÷ ${scenario.comparedWith}`}`;
  const label = `<text x="${labelWidth - 8}" y="${y + 13}" text-anchor="end" font-size="11">${escapeXml(title)}</text>`;
  if ('reason' in judged || !scenario.bar) return [label];
  const { bar } = scenario;
  const { result: value, low, high } = judged.summary;
  const score = scoreOf(bar, value);
  const [from, to] = [scoreOf(bar, low), scoreOf(bar, high)].map(xOf);
  const unit = unitOf(scenario);
  return [
    label,
    `<rect class="${judged.verdict}" x="${labelWidth}" y="${y}" width="${(xOf(score) - labelWidth).toFixed(1)}" height="16"/>`,
    `<line x1="${from?.toFixed(1)}" y1="${y + 8}" x2="${to?.toFixed(1)}" y2="${y + 8}"/>`,
    `<text x="${labelWidth + plotWidth + 6}" y="${y + 13}" font-size="11">${escapeXml(`${number(value)} ${unit} (${barText(bar, unit)})`)}</text>`,
  ];
}
